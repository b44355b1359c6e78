"""API keys: their form, their file, the command that makes one, and what is configured wrongly."""

import hashlib
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from service.access import BadKeys, digest_of, new_key, read_keys
from service.cli import main
from service.config import BadSettings, load
from tests.service.access.calling import listed, made


def test_a_key_is_256_random_bits_and_is_known_by_its_hash() -> None:
    keys = {new_key() for _ in range(100)}
    assert len(keys) == 100
    for key in keys:
        assert len(key) == len("scheids_") + 43
        assert digest_of([key]) == hashlib.sha256(key.encode()).hexdigest()


@pytest.mark.parametrize(
    "given",
    [[], ["secret"], [new_key(), new_key()], [new_key() + "A"], [new_key()[:-1]], [new_key() + "\n"], ["é" * 51], [""]],
)
def test_what_is_no_key_has_no_hash(given: list[str]) -> None:
    assert digest_of(given) is None


ZEROS, ONES = "0" * 64, "1" * 64


@pytest.mark.parametrize(
    ("entries", "told"),
    [
        ([], "at least one key"),
        ({}, "Expected `array`"),
        ([{"name": "a"}], "sha256"),
        ([{"name": "a b", "sha256": ZEROS}], r"at \$\[0\]\.name"),
        ([{"name": "a", "sha256": ZEROS, "rate": 0}], r"at \$\[0\]\.rate"),
        ([{"name": "a", "sha256": ZEROS, "rate": 1e-9}], r"at \$\[0\]\.rate"),
        ([{"name": "a", "sha256": ZEROS, "limit": 1}], "limit"),
        ([{"name": "a", "sha256": ZEROS}, {"name": "a", "sha256": ONES}], "each name once"),
        ([{"name": "a", "sha256": ZEROS}, {"name": "b", "sha256": ZEROS}], "each sha256 once"),
    ],
)
def test_what_is_no_list_of_keys(entries: object, told: str) -> None:
    with pytest.raises(BadKeys, match=told):
        read_keys(json.dumps(entries))


@pytest.mark.parametrize("text", [b"", b"\xff", b"[", b'["name"]'])
def test_what_is_no_list_at_all(text: bytes) -> None:
    with pytest.raises(BadKeys):
        read_keys(text)


def test_the_keys_are_set_by_variable_or_by_file(tmp_path: Path) -> None:
    key = made("a", rate=5, burst=6, tablesPerMinute=7, reissuesPerMinute=8)
    path = tmp_path / "keys.json"
    path.write_text(listed(key))
    (one,) = load({"SCHEIDS_API_KEYS": listed(key)}).api_keys.all
    assert one == read_keys(load({"SCHEIDS_API_KEYS_FILE": str(path)}).api_keys_file.path.read_bytes())[0]
    limits = one.limits(load({}).key_limits)
    assert (limits.rate, limits.burst, limits.tables_per_minute, limits.reissues_per_minute) == (5, 6, 7, 8)
    (plain,) = read_keys(listed(made("b")))
    assert plain.limits(load({"SCHEIDS_KEY_RATE": "9"}).key_limits).rate == 9


def test_faults_of_keys_are_told_with_the_others(tmp_path: Path) -> None:
    path = tmp_path / "keys.json"
    path.write_text('[{"name":"a","sha256":"a secret that somebody put here"}]')
    with pytest.raises(BadSettings) as bad:
        load({"SCHEIDS_API_KEYS_FILE": str(path), "SCHEIDS_MAX_WORK": "0", "SCHEIDS_KEY_RATE": "0"})
    assert [fault.partition(":")[0] for fault in bad.value.faults] == [
        "SCHEIDS_KEY_RATE",
        "SCHEIDS_MAX_WORK",
        "SCHEIDS_API_KEYS_FILE",
    ]
    assert "$[0].sha256" in str(bad.value)
    assert "a secret that" not in str(bad.value)
    with pytest.raises(BadSettings, match="SCHEIDS_API_KEYS_FILE: cannot be read: No such file"):
        load({"SCHEIDS_API_KEYS_FILE": str(tmp_path / "none")})
    with pytest.raises(BadSettings, match="SCHEIDS_API_KEYS is set as well"):
        load({"SCHEIDS_API_KEYS_FILE": str(path), "SCHEIDS_API_KEYS": listed(made("a"))})
    with pytest.raises(BadSettings) as hidden:
        load({"SCHEIDS_API_KEYS": '[{"name":"hush","sha256":"hush"}]'})
    assert "hush" not in str(hidden.value)
    assert "hush" not in repr(load({"SCHEIDS_API_KEYS": listed(made("hush"))}))


def test_the_command_makes_a_key_and_its_entry() -> None:
    ran = CliRunner().invoke(main, ["key", "new", "bot-1", "--burst", "7"])
    assert ran.exit_code == 0
    entry = json.loads(ran.stdout)
    key = ran.stderr.strip().rpartition(" ")[2]
    assert entry == {"name": "bot-1", "sha256": digest_of([key]), "burst": 7}
    assert key not in ran.stdout
    assert load({"SCHEIDS_API_KEYS": f"[{ran.stdout}]"}).api_keys.all[0].name == "bot-1"
    assert CliRunner().invoke(main, ["key", "new", "bot 1"]).exit_code == 2
