"""Which of the catalogues' languages a caller wants: one reading of ``Accept-Language`` for every transport."""

import re
from functools import lru_cache
from typing import Final

from engine.violations import ENGLISH, LANGUAGES

LONGEST_HEADER: Final = 1_000
REMEMBERED: Final = 1_024
_RANGE: Final = re.compile(
    r"\s*(?P<tag>\*|[A-Za-z]{1,8})(?:-[A-Za-z0-9-]*)?\s*(?:;\s*[qQ]\s*=\s*(?P<q>[01](?:\.[0-9]{0,3})?)\s*)?"
)


def negotiate(header: str | None) -> str:
    """The language the caller likes best of those there are; English where none is named or nothing can be read.

    Parts that are not a language range are passed over; of equally liked languages the first named wins.

    >>> (
    ...     negotiate("nl-BE, fr;q=0.9, en;q=0.8"),
    ...     negotiate("de, fr;q=0.2, nl;q=0.3"),
    ...     negotiate("nl;q=0"),
    ...     negotiate(None),
    ... )
    ('nl', 'nl', 'en', 'en')
    """
    return ENGLISH if header is None else _negotiated(header[:LONGEST_HEADER])


@lru_cache(REMEMBERED)
def _negotiated(header: str) -> str:
    liked: dict[str, float] = {}
    for part in header.split(","):
        match = _RANGE.fullmatch(part)
        if match is None:
            continue
        tag = match["tag"].lower()
        liked[tag] = max(liked.get(tag, 0.0), min(1.0, float(match["q"] or 1)))
    rest = liked.pop("*", 0.0)
    for language in LANGUAGES:
        liked.setdefault(language, rest)
    found = max((tag for tag in liked if tag in LANGUAGES), key=liked.__getitem__)
    return found if liked[found] > 0 else ENGLISH
