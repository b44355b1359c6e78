"""`_sync`: the client that waits, made into the one that does not."""

import re
from typing import Final

from .source import BY

SYNC: Final = (
    (r"\basync def\b", "def"),
    (r"\basync for\b", "for"),
    (r"\basync with\b", "with"),
    (r"\bawait ", ""),
    (r"\bAsync(Iterator|Iterable|Generator)\b", r"\1"),
    (r"\basync_([a-z]\w*)", r"sync_\1"),
    (r"\bAsync(Retrying|Client)\b", r"\1"),
    (r"\bAsync([A-Z]\w*)", r"\1"),
    (r"__aenter__", "__enter__"),
    (r"__aexit__", "__exit__"),
    (r"__aiter__", "__iter__"),
    (r"__anext__", "__next__"),
    (r"StopAsyncIteration", "StopIteration"),
    (r"\baclose\b", "close"),
    (r"\baclosing\b", "closing"),
    (r"\banext\b", "next"),
    (r"\baiter\b", "iter"),
    (r"\baconnect_sse\b", "connect_sse"),
    (r"\baiter_sse\b", "iter_sse"),
    (r"\baread\b", "read"),
    (r"\bawaits\b", "makes"),
    (r"_async\b", "_sync"),
)
"""What makes the client that does not wait of the one that does."""


def without_waiting(text: str) -> str:
    """The text of a module of `_async` as one of `_sync`."""
    kept = []
    skipping = False
    for line in text.splitlines():
        match line.strip():
            case "# async only:":
                skipping = True
            case "# sync only:" | "# end":
                skipping = False
            case _ if not skipping:
                kept.append(line.replace("#: ", "", 1) if line.lstrip().startswith("#: ") else line)
    made = "\n".join(kept) + "\n"
    for pattern, replacement in SYNC:
        made = re.sub(pattern, replacement, made)
    made = re.sub(r"(Iterable\[\w+\]) \| \1", r"\1", made)
    if BY in text:
        return made
    return f"# {BY.replace('it anew', 'it anew from _async')}\n{made}"
