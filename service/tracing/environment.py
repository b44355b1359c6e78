"""What is wrong with the variables by which OpenTelemetry is set: the SDK itself would log it, and trace otherwise."""

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

OTLP: Final = "OTEL_EXPORTER_OTLP_"
SAMPLERS: Final = (
    *("always_on", "always_off", "traceidratio"),
    *("parentbased_always_on", "parentbased_always_off", "parentbased_traceidratio"),
)
_PAIR: Final = re.compile(r"\s*[^=,;\s]+\s*=[^,]*")
_SHOWN: Final = 80
_DIGITS: Final = 9


def faults(environ: Mapping[str, str]) -> list[str]:
    """All that is wrong, one line each. A variable that is empty is none."""
    given = {name: value for name, value in environ.items() if name.startswith("OTEL_") and value.strip()}
    found = []
    for name, (is_good, expected) in CHECKS.items():
        if name in given and not is_good(given[name].strip()):
            may_hold_password = name.endswith("_HEADERS") or "@" in given[name]
            shown = "" if may_hold_password else f", not {given[name][:_SHOWN]!r}"
            found.append(f"{name}: Expected {expected}{shown}")
    return [*found, *_together(given)]


def _together(given: Mapping[str, str]) -> Iterator[str]:
    """What is wrong with variables that are each well formed."""
    queue, batch = (given.get(f"OTEL_BSP_MAX_{which}_SIZE", "") for which in ("QUEUE", "EXPORT_BATCH"))
    if _is_count(queue or "2048") and _is_count(batch or "512") and int(batch or 512) > int(queue or 2048):
        yield f"OTEL_BSP_MAX_EXPORT_BATCH_SIZE: is above OTEL_BSP_MAX_QUEUE_SIZE, {queue or 2048}"


def _is_url(text: str) -> bool:
    try:
        url = urlsplit(text)
        return url.scheme in ("http", "https") and bool(url.hostname) and url.port != 0
    except ValueError:
        return False


def _is_count(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= _DIGITS and int(text) > 0


def _is_share(text: str) -> bool:
    try:
        return 0 <= float(text) <= 1
    except ValueError:
        return False


def _is_time(text: str) -> bool:
    try:
        return 0 < float(text) < float("inf")
    except ValueError:
        return False


def _is_pairs(text: str) -> bool:
    return all(_PAIR.fullmatch(each) for each in text.split(",") if each.strip())


def _is_file(text: str) -> bool:
    try:
        return Path(text).is_file()
    except OSError:  # the PEM itself, say
        return False


def _one_of(*names: str) -> tuple[Callable[[str], bool], str]:
    return (lambda text: text.lower() in names), " or ".join(names)


Check = tuple[Callable[[str], bool], str]
_OF_EXPORTER: Final[dict[str, Check]] = {
    "ENDPOINT": (_is_url, "a URL of http or https, such as http://collector:4318"),
    "PROTOCOL": _one_of("http/protobuf"),
    "COMPRESSION": _one_of("none", "gzip", "deflate"),
    "TIMEOUT": (_is_time, "a number of seconds above 0"),
    "HEADERS": (_is_pairs, "name=value, between commas"),
    "CERTIFICATE": (_is_file, "a file"),
    "CLIENT_CERTIFICATE": (_is_file, "a file"),
    "CLIENT_KEY": (_is_file, "a file"),
}
CHECKS: Final[dict[str, Check]] = {
    **{f"{OTLP}{name}": check for name, check in _OF_EXPORTER.items()},
    **{f"{OTLP}TRACES_{name}": check for name, check in _OF_EXPORTER.items()},
    "OTEL_TRACES_EXPORTER": _one_of("otlp"),
    "OTEL_TRACES_SAMPLER": (lambda text: text.lower() in SAMPLERS, "one of " + ", ".join(SAMPLERS)),
    "OTEL_TRACES_SAMPLER_ARG": (_is_share, "a share from 0 to 1"),
    "OTEL_RESOURCE_ATTRIBUTES": (_is_pairs, "name=value, between commas"),
    **{
        f"OTEL_BSP_{name}": (_is_count, "a whole number above 0")
        for name in ("MAX_QUEUE_SIZE", "MAX_EXPORT_BATCH_SIZE", "SCHEDULE_DELAY", "EXPORT_TIMEOUT")
    },
}
"""The variables that are looked at, and what each has to be."""
KNOWN: Final = frozenset({*CHECKS, "OTEL_SERVICE_NAME"})
"""The variables that make a difference, and that the page on operations names or a rule of its covers."""
