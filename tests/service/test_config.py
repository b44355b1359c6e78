"""The settings: what is read, and that every fault is told at once."""

import os

import pytest

from scripts import settings_page
from service.app import Service
from service.config import BadSettings, Settings, load, settings_table
from service.hosting import CannotStart
from service.kinds import Address
from tests.service.running import FREE


def test_nothing_set_is_the_defaults() -> None:
    settings = load({"PATH": "/bin", "SCHEIDSRECHTER": "1"})
    assert settings == Settings()
    assert (str(settings.http_address), str(settings.grpc_address)) == ("127.0.0.1:8080", "127.0.0.1:8081")
    limits = settings.limits
    assert (limits.body_bytes, limits.nesting, limits.batch_calls) == (1_048_576, 32, 100)
    assert (limits.legal_moves, limits.record_moves, limits.work) == (1_000, 4_096, 10_000)


def test_every_limit_can_be_set() -> None:
    names = ("BODY_BYTES", "NESTING", "BATCH_CALLS", "LEGAL_MOVES", "RECORD_MOVES", "WORK")
    numbers = (2_000, 40, 3, 4, 5, 6)
    limits = load({f"SCHEIDS_MAX_{name}": str(number) for name, number in zip(names, numbers, strict=True)}).limits
    found = (
        limits.body_bytes,
        limits.nesting,
        limits.batch_calls,
        limits.legal_moves,
        limits.record_moves,
        limits.work,
    )
    assert found == numbers


SIGNED_WITH = "thirty-two bytes or more of a test's secret"


@pytest.mark.parametrize("text", ["127.0.0.1:0", "localhost:65535", "[::1]:8080", "0.0.0.0:80", "a-b.example:1"])
def test_an_address_is_written_as_it_was_read(text: str) -> None:
    assert str(load({"SCHEIDS_HTTP_ADDRESS": text, "SCHEIDS_TABLES": "off"}).http_address) == text
    assert Address(text) == Address(text)


@pytest.mark.parametrize(
    "text", ["", "8080", "localhost", "localhost:", ":8080", "::1:8080", "a:65536", "a:-1", "http://a:1", "a b:1"]
)
def test_what_is_no_address(text: str) -> None:
    with pytest.raises(BadSettings, match="SCHEIDS_HTTP_ADDRESS: Expected host:port"):
        load({"SCHEIDS_HTTP_ADDRESS": text})


def test_every_fault_is_told_at_once() -> None:
    with pytest.raises(BadSettings) as bad:
        load(
            {
                "SCHEIDS_HTTP_ADDRESS": "nowhere",
                "SCHEIDS_MAX_NESTING": "1",
                "SCHEIDS_MAX_WORK": "lots",
                "SCHEIDS_LOG_LEVEL": "loud",
                "SCHEIDS_MAX_BODYBYTES": "5",
            }
        )
    told = "\n".join(bad.value.faults)
    assert len(bad.value.faults) == 5
    assert "SCHEIDS_MAX_BODYBYTES: there is no such setting; is SCHEIDS_MAX_BODY_BYTES meant?" in told
    for part in ("HTTP_ADDRESS", "MAX_NESTING", "not '1'", "MAX_WORK", "not 'lots'", "LOG_LEVEL", "not 'loud'"):
        assert part in told


def test_a_setting_that_is_bad_is_not_told_to_be_missing_too() -> None:
    with pytest.raises(BadSettings) as bad:
        load({"SCHEIDS_REDIS_URL": "redis://localhost", "SCHEIDS_SECRET": "short", "SCHEIDS_TABLES": "maybe"})
    assert [fault.partition(":")[0] for fault in bad.value.faults] == ["SCHEIDS_TABLES", "SCHEIDS_SECRET"]


def test_faults_of_each_kind_are_told_together() -> None:
    """Unknown, malformed, out of bounds, bad together: one start tells them all."""
    with pytest.raises(BadSettings) as bad:
        load(
            {
                "SCHEIDS_LOGLEVEL": "info",
                "SCHEIDS_DRAIN_SECONDS": "soon",
                "SCHEIDS_DECISION_SAMPLE": "2",
                "SCHEIDS_REDIS_URL": "redis://localhost",
                "SCHEIDS_TABLE_TTL_SECONDS": "100",
                "SCHEIDS_MAX_TABLE_TTL_SECONDS": "10",
            }
        )
    assert {fault.partition(":")[0].removeprefix("SCHEIDS_") for fault in bad.value.faults} == {
        *("LOGLEVEL", "DRAIN_SECONDS", "DECISION_SAMPLE", "SECRET", "TABLE_TTL_SECONDS")
    }


def test_the_page_is_made_of_the_settings() -> None:
    text = settings_page.PAGE.read_text()
    assert settings_page.page(text) == text
    for name, default, meaning in settings_table():
        (row,) = (line for line in text.splitlines() if line.startswith(f"| `{name}` |"))
        assert f"`{default}`" in row or not default
        assert row.endswith(f"{meaning} |")


def test_one_address_cannot_serve_two() -> None:
    with pytest.raises(BadSettings, match="SCHEIDS_GRPC_ADDRESS"):
        load({"SCHEIDS_GRPC_ADDRESS": "127.0.0.1:8080"})
    load({"SCHEIDS_HTTP_ADDRESS": "127.0.0.1:0", "SCHEIDS_GRPC_ADDRESS": "127.0.0.1:0"})


def test_every_setting_has_a_meaning() -> None:
    table = settings_table()
    assert len(table) == len(Settings.__struct_fields__)
    for name, default, meaning in table:
        load({name: default})
        assert meaning.endswith(".")


@pytest.mark.parametrize("address", ["0.0.0.0:80", "[::]:80", "scheids.example:80", "10.0.0.1:80"])
@pytest.mark.parametrize("name", ["SCHEIDS_HTTP_ADDRESS", "SCHEIDS_GRPC_ADDRESS"])
def test_a_made_secret_is_for_this_machine_only(name: str, address: str) -> None:
    with pytest.raises(BadSettings, match=f"{name}: is reached from other machines"):
        load({name: address})
    assert load({name: address, "SCHEIDS_TABLES": "off"}).tables == "off"
    assert load({name: address, "SCHEIDS_SECRET": SIGNED_WITH}).tables == "on"


def test_with_redis_the_secret_is_said() -> None:
    with pytest.raises(BadSettings, match="SCHEIDS_SECRET: must be set"):
        load({"SCHEIDS_REDIS_URL": "redis://localhost"})
    settings = load({"SCHEIDS_REDIS_URL": "redis://localhost", "SCHEIDS_SECRET": f"{SIGNED_WITH}, {SIGNED_WITH}2"})
    assert settings.secret.all == (SIGNED_WITH, f"{SIGNED_WITH}2")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SCHEIDS_SECRET", "hush hush"),
        ("SCHEIDS_SECRET", f"{SIGNED_WITH},hush hush"),
        ("SCHEIDS_SECRET", f"{SIGNED_WITH},"),
        ("SCHEIDS_REDIS_URL", "redis://:hush hush@host:port"),
        ("SCHEIDS_REDIS_URL", "http://hush hush"),
    ],
)
def test_what_is_secret_is_not_told_even_where_it_is_bad(name: str, value: str) -> None:
    with pytest.raises(BadSettings) as bad:
        load({name: value, "SCHEIDS_SECRET": value if name == "SCHEIDS_SECRET" else SIGNED_WITH})
    assert name in str(bad.value)
    assert "hush" not in str(bad.value)


def test_secrets_are_in_no_text_of_the_settings() -> None:
    settings = load({"SCHEIDS_REDIS_URL": "redis://:hush@host", "SCHEIDS_SECRET": SIGNED_WITH})
    assert "hush" not in repr(settings)
    assert SIGNED_WITH not in repr(settings)


@pytest.mark.parametrize("name", [name for name, _, _ in settings_table()])
def test_bytes_that_are_no_text_are_a_fault_like_any_other(name: str) -> None:
    with pytest.raises(BadSettings, match="Expected text in UTF-8") as bad:
        load({"SCHEIDS_TABLES_PER_MINUTE": "0", name: os.fsdecode(b"\xff")})
    assert {fault.partition(":")[0] for fault in bad.value.faults} == {name, "SCHEIDS_TABLES_PER_MINUTE"}


@pytest.mark.parametrize("name", ["SCHEIDS_API_KEYS_FILE", "SCHEIDS_TLS_CERT_FILE"])
def test_a_home_that_nobody_has_is_a_fault_like_any_other(name: str) -> None:
    with pytest.raises(BadSettings, match=name):
        load({name: "~nobody-has-it/file", "SCHEIDS_TLS_KEY_FILE": "~nobody-has-it/file"})


@pytest.mark.parametrize("name", ["SCHEIDS_DATA_DIR", "SCHEIDS_DECISION_LOG"])
def test_a_home_that_nobody_has_stops_the_start(name: str) -> None:
    with pytest.raises(CannotStart, match=name):
        Service(load({**FREE, name: "~nobody-has-it/file"}))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("OTEL_EXPORTER_OTLP_CERTIFICATE", "-----BEGIN CERTIFICATE-----\n" + "A" * 5_000),
        ("OTEL_BSP_MAX_QUEUE_SIZE", "9" * 5_000),
        ("OTEL_BSP_MAX_QUEUE_SIZE", "9" * 30),
        ("OTEL_BSP_SCHEDULE_DELAY", "9" * 30),
    ],
)
def test_absurd_variables_of_opentelemetry_are_faults_like_any_other(name: str, value: str) -> None:
    with pytest.raises(BadSettings, match=name):
        load({"SCHEIDS_TRACES": "otlp", name: value})


@pytest.mark.parametrize("name", ["SCHEIDS_PORT", "SCHEIDS_SERVICE_HOST", "SCHEIDS_REST_PORT_8080_TCP_ADDR"])
def test_what_kubernetes_puts_there_is_told_apart(name: str) -> None:
    with pytest.raises(BadSettings, match=f"{name}: .*enableServiceLinks"):
        load({name: "tcp://10.0.0.1:80"})


@pytest.mark.parametrize("name", ["SCHEIDS_HTTP_ADDRESS", "SCHEIDS_GRPC_ADDRESS"])
def test_a_public_address_needs_a_secret_unless_told_by_name(name: str) -> None:
    with pytest.raises(BadSettings, match="SCHEIDS_PUBLIC_WITHOUT_SECRET=on"):
        load({name: "0.0.0.0:80"})
    assert load({name: "0.0.0.0:80", "SCHEIDS_PUBLIC_WITHOUT_SECRET": "on"}).is_public
    with pytest.raises(BadSettings, match="SCHEIDS_SECRET: must be set"):
        load({name: "0.0.0.0:80", "SCHEIDS_PUBLIC_WITHOUT_SECRET": "on", "SCHEIDS_REDIS_URL": "redis://localhost"})
