"""What holds for all tests: no property fails on a busy machine, and no log is silent because of an earlier test."""

import logging

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("scheids", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("scheids")


@pytest.fixture
def caplog(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    """What is logged from warnings on, whatever level a service that ran before has left the root logger at."""
    caplog.set_level(logging.WARNING)
    return caplog
