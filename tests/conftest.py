"""What holds for all tests: no property fails because the machine was busy."""

from hypothesis import HealthCheck, settings

settings.register_profile("scheids", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("scheids")
