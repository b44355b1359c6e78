"""Every Python block of the pages for the client's users runs, in order, against a live service."""

import re
from pathlib import Path
from typing import Any

import pytest

from tests.service.running import Running

ROOT = Path(__file__).resolve().parents[3]
PAGES = ["docs/bots.md", "docs/apps.md", "clients/python/README.md", "clients/python/engine/README.md"]
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("page", PAGES)
def test_page(page: str, service: Running) -> None:
    text = (ROOT / page).read_text().replace("http://127.0.0.1:8080", service.url)
    blocks = BLOCK.findall(text.replace("127.0.0.1:8081", str(service.ready.grpc)))
    assert blocks
    names: dict[str, Any] = {}
    for block in blocks:
        exec(compile(block, page, "exec"), names)  # noqa: S102 - our own pages
