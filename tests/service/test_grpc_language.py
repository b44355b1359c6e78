"""Which language a header asks for, whatever stands in it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.violations import LANGUAGES
from service.language import negotiate


@pytest.mark.parametrize(
    ("header", "language"),
    [
        (None, "en"),
        ("", "en"),
        ("nl", "nl"),
        ("FR-ca", "fr"),
        ("nl-BE, fr;q=0.9, en;q=0.8", "nl"),
        ("de, fr;q=0.2, nl;q=0.3", "nl"),
        ("fr;q=0.5, nl;q=0.5", "fr"),
        ("nl ; q=0.5 , fr ; q=0.6", "fr"),
        ("nl;q=0", "en"),
        ("*", "en"),
        ("en;q=0, *", "nl"),
        ("nl;q=0.1, *;q=0.5", "en"),
        ("fr-CH;q=0.1, fr;q=0.9, nl;q=0.5", "fr"),
        ("nl;q=high, fr;q=0.1", "fr"),
        (";;;,,q=1", "en"),
        ("," * 10_000 + "nl", "en"),
    ],
)
def test_the_language_liked_best_of_those_there_are(header: str | None, language: str) -> None:
    assert negotiate(header) == language


@given(st.text())
def test_no_header_is_too_strange(header: str) -> None:
    assert negotiate(header) in LANGUAGES
