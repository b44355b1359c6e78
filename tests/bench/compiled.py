"""The engine and the codec compiled, in a folder of their own under build/, for processes that are to run with them."""

import os
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final

from tests.bench.servers import BUILD
from tests.service.running import ROOT

FOLDER: Final = BUILD / "compiled"


@cache
def folder() -> Path | str:
    """Where both are, to be a process's working directory; or why it is not built."""
    command = [sys.executable, "-m", "scripts.compiling", str(FOLDER)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        return f"not built: {(done.stderr or done.stdout).strip().splitlines()[-1]}"
    return FOLDER


def environment(environ: Mapping[str, str]) -> dict[str, str]:
    """An environment in which everything but what is in the working directory comes from this checkout."""
    paths = [str(ROOT), *filter(None, [environ.get("PYTHONPATH")])]
    return {**environ, "PYTHONPATH": os.pathsep.join(paths)}
