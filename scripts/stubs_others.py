"""Generates code for protobuf and gRPC in other languages from protos/ into build/stubs, or checks Go's and Java's.

`--check` builds what was generated for Go and for Java, each with a small program, which it runs against a service.
Where a toolchain is not there it says so, and goes on.

Usage: stubs_others.py go|java|kotlin|csharp
       stubs_others.py --check
"""

import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
PROTOS: Final = ROOT / "protos"
OUT: Final = ROOT / "build" / "stubs"
TOOLS: Final = ROOT / "build" / "tools"
CLIENTS: Final = ROOT / "tests" / "clients"

GO_TOOLS: Final = (
    "google.golang.org/protobuf/cmd/protoc-gen-go@v1.36.12",
    "google.golang.org/grpc/cmd/protoc-gen-go-grpc@v1.6.0",
)
GRPC_JAVA: Final = "1.83.1"
PROTOBUF_JAVA: Final = "4.36.2"
COPY: Final = "org.apache.maven.plugins:maven-dependency-plugin:2.8:copy"


class Missing(Exception):  # noqa: N818 - what it says
    """A program that is needed is not there."""


def needed(*programs: str) -> None:
    for program in programs:
        if shutil.which(program) is None:
            raise Missing(f"there is no `{program}`")


def run(command: Sequence[str | Path], cwd: Path = ROOT, **variables: str) -> str:
    done = subprocess.run(
        command, cwd=cwd, check=False, text=True, env={**os.environ, **variables}, stdout=subprocess.PIPE
    )
    if done.returncode:
        raise SystemExit(f"stubs: {command[0]} failed\n{done.stdout}")
    return done.stdout


def generated(folder: Path, protoc: Sequence[str | Path], *options: str) -> None:
    """Generates into a folder of its own, afresh."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    protos = sorted(str(path.relative_to(PROTOS)) for path in PROTOS.rglob("*.proto"))
    well_known = files("grpc_tools") / "_proto"
    run([*protoc, f"-I{PROTOS}", f"-I{well_known}", *options, *protos])


def from_maven(group: str, artifact: str, version: str) -> Path | None:
    """A program that Maven's central repository has for this platform; None without Maven."""
    program = TOOLS / f"{artifact}-{version}"
    if program.exists():
        return program
    if shutil.which("mvn") is None:
        return None
    system = {"darwin": "osx"}.get(sys.platform, sys.platform)
    machine = {"aarch64": "aarch_64", "arm64": "aarch_64"}.get(platform.machine(), platform.machine())
    wanted = f"{group}:{artifact}:{version}:exe:{system}-{machine}"
    run(["mvn", "-q", "-B", COPY, f"-Dartifact={wanted}", f"-DoutputDirectory={TOOLS}"])
    (copied,) = TOOLS.glob(f"{artifact}-{version}-*.exe")
    copied.chmod(0o755)
    return copied.rename(program)


def protoc() -> list[str | Path]:
    """The protoc that the Java runtime asks for, or without Maven whichever there is."""
    found = from_maven("com.google.protobuf", "protoc", PROTOBUF_JAVA) or shutil.which("protoc")
    if found is None:
        raise Missing("there is neither `mvn`, which would bring protoc, nor `protoc`")
    return [found]


def alone(plugin: str) -> None:
    print(f"stubs: ******** messages alone: services need {plugin} ********")


def go() -> Path:
    """A module, `scheids`, whose package is `scheids/v1`."""
    needed("go")
    for tool in GO_TOOLS:
        run(["go", "install", tool], GOBIN=str(TOOLS))
    folder = OUT / "go"
    plugins = [f"--plugin={TOOLS / name}" for name in ("protoc-gen-go", "protoc-gen-go-grpc")]
    outs = (f"--{kind}_out=module=scheids:{folder}" for kind in ("go", "go-grpc"))
    generated(folder, [sys.executable, "-m", "grpc_tools.protoc"], *plugins, *outs)
    run(["go", "mod", "init", "scheids"], folder)
    return folder


def java(*more: str, language: str = "java") -> Path:
    """Sources for protobuf-java and grpc-java."""
    source = OUT / language / "src" / "main" / "java"
    plugin = from_maven("io.grpc", "protoc-gen-grpc-java", GRPC_JAVA) or shutil.which("grpc_java_plugin")
    services = [f"--plugin=protoc-gen-grpc-java={plugin}", f"--grpc-java_out={source}"] if plugin else []
    if not services:
        alone("protoc-gen-grpc-java, which Maven would bring")
    generated(source, protoc(), f"--java_out={source}", *services, *more)
    return OUT / language


def kotlin() -> Path:
    """Kotlin's builders, beside Java's messages and services."""
    folder = OUT / "kotlin" / "src" / "main" / "java"
    return java(f"--kotlin_out={folder}", language="kotlin")


def csharp() -> Path:
    """Messages, and services where there is a grpc_csharp_plugin."""
    folder = OUT / "csharp"
    plugin = shutil.which("grpc_csharp_plugin")
    services = [f"--plugin=protoc-gen-grpc={plugin}", f"--grpc_out={folder}"] if plugin else []
    if not services:
        alone("grpc_csharp_plugin, of the package Grpc.Tools")
    generated(folder, protoc(), f"--csharp_out={folder}", *services)
    return folder


LANGUAGES: Final = {"go": go, "java": java, "kotlin": kotlin, "csharp": csharp}


# --- the check


def built_go() -> list[str | Path]:
    needed("go")
    folder = go()
    shutil.copytree(CLIENTS / "go", folder / "hand")
    run(["go", "mod", "tidy"], folder)
    run(["go", "vet", "./..."], folder)
    program = TOOLS / "hand-go"
    run(["go", "build", "-o", str(program), "./hand"], folder)
    return [program]


def built_java() -> list[str | Path]:
    needed("javac", "mvn")
    folder = java()
    shutil.copytree(CLIENTS / "java", folder, dirs_exist_ok=True)
    pom = folder / "pom.xml"
    pom.write_text(pom.read_text().replace("@PROTOBUF@", PROTOBUF_JAVA).replace("@GRPC@", GRPC_JAVA))
    run(["mvn", "-q", "-B", "compile", "dependency:build-classpath", "-Dmdep.outputFile=classpath"], folder)
    return ["java", "-cp", f"{folder / 'target' / 'classes'}:{(folder / 'classpath').read_text()}", "Hand"]


def check() -> None:
    from tests.service.running import read_ready, started  # noqa: PLC0415 - of the repository, once it is on the path

    for language, build in (("Go", built_go), ("Java", built_java)):
        try:
            program = build()
        except Missing as missing:
            print(f"stubs: ******** SKIPPED: {language}, {missing} ********")
            continue
        with started() as process:
            ready, _ = read_ready(process)
            told = run([*program, ready["grpc"]]).strip()
        if told != "13 legal moves":
            raise SystemExit(f"stubs: {language} says {told!r}")
        print(f"stubs: {language} was built, and played against a service")


def main() -> int:
    sys.path.insert(0, str(ROOT))
    match sys.argv[1:]:
        case ["--check"]:
            check()
        case [language] if language in LANGUAGES:
            try:
                folder = LANGUAGES[language]()
            except Missing as missing:
                print(f"stubs: {language} cannot be generated: {missing}", file=sys.stderr)
                return 1
            print(f"stubs: wrote {folder.relative_to(ROOT)}")
        case _:
            print(__doc__, file=sys.stderr)
            return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
