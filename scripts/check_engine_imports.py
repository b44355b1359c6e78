"""Checks what the engine may lean on, which import-linter has no words for.

1. Imports of the engine's own modules are relative, since it is also published under another name.
2. Anything else is on the allow-list below: no I/O, clock, environment, logging, threads or process state.
3. A game imports only what games may import.
4. No built-in that reads, prints or runs text.
"""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ENGINE = ROOT / "engine"

ALLOWED = frozenset(
    {
        *("__future__", "abc", "bisect", "collections", "copy", "dataclasses", "enum", "fractions"),
        *("functools", "hashlib", "heapq", "hmac", "itertools", "math", "operator", "re", "string"),
        *("struct", "types", "typing", "unicodedata"),
        "msgspec",
        "mypy_extensions",  # for the compiler alone, in native.py
    }
)
ALLOWED_TO_GAMES = frozenset({"cards", "events", "game", "mechanics", "moves", "native", "rng", "sheet", "violations"})
FORBIDDEN_BUILTINS = frozenset({"__import__", "breakpoint", "compile", "eval", "exec", "input", "open", "print"})


def engine_targets(module: tuple[str, ...], node: ast.ImportFrom) -> list[tuple[str, ...]]:
    """Resolves a relative import, made in a package, to modules counted from the engine.

    Args:
        module: the importing package counted from the engine, () for the engine itself.
        node: the import.
    """
    base = module[: len(module) - node.level + 1]
    if node.module:
        return [(*base, *node.module.split("."))]
    return [(*base, alias.name) for alias in node.names]


def game_of(path: tuple[str, ...]) -> str | None:
    return path[1] if len(path) > 1 and path[0] == "games" and path[1] != "__init__" else None


def faults_of(path: Path) -> Iterator[tuple[int, str]]:
    place = path.relative_to(ENGINE).with_suffix("").parts
    game = game_of(place)
    for node in ast.walk(ast.parse(path.read_text(), str(path))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names = [node.module or ""]
        elif isinstance(node, ast.ImportFrom):
            names = []
            if node.level > len(place):
                yield node.lineno, "imports from outside the engine"
                continue
            for target in engine_targets(place[:-1], node):
                own = game is not None and game_of(target) == game
                if game and not own and (not target or target[0] not in ALLOWED_TO_GAMES):
                    yield node.lineno, f"a game may not import engine.{'.'.join(target)}"
        else:
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in FORBIDDEN_BUILTINS:
                yield node.lineno, f"uses {node.id}()"
            continue
        for name in names:
            top = name.split(".")[0]
            if top in {"engine", "scheids_engine"}:
                yield node.lineno, f"imports {name} absolutely; write it relatively"
            elif top not in ALLOWED:
                yield node.lineno, f"imports {name}, which is not on the engine's allow-list"


def main() -> int:
    paths = sorted(ENGINE.rglob("*.py"))
    faults = [(path, *fault) for path in paths for fault in sorted(faults_of(path))]
    for path, line, fault in faults:
        print(f"{path.relative_to(ROOT)}:{line}: {fault}", file=sys.stderr)
    print(f"engine imports: {len(paths)} modules, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
