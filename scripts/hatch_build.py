"""Puts the compiled engine and codec into the service's wheel, which is then one for this Python and machine."""

import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "build" / "compiled"


class Compiled(BuildHookInterface[Any]):
    """Asked for by HATCH_BUILD_HOOK_ENABLE_CUSTOM=true."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compiles both, and has the engine's extensions lie beside the modules they are made of."""
        if version != "standard":
            return
        subprocess.run([sys.executable, "-m", "scripts.compiling", OUT], cwd=ROOT, check=True)
        for extension in OUT.rglob("*.so"):
            build_data["force_include"][str(extension)] = str(extension.relative_to(OUT))
        build_data["pure_python"] = False
        build_data["infer_tag"] = True
