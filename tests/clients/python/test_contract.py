"""The client's models, codec, calls and errors are those of the service; what is generated is what it is made from."""

import random
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import msgspec
import pytest

import scheids_client
from scheids_client import _operations, errors, models
from scheids_client._codec import READERS, WRITERS
from scheids_client._protobuf import message
from scheids_client._results import NAMES
from service.batch import OPERATIONS as BATCHED
from service.errors import STATUSES
from service.messages import Limits, from_json, to_json
from service.transports.grpc import referee, tables
from service.transports.rest.operations import OPERATIONS
from service.transports.rest.table_operations import TABLE_OPERATIONS, WATCH
from service.wire.codec import CODEC, MEANINGS
from tests.service.grpc_messages import random_struct

ROOT = Path(__file__).resolve().parents[3]
PYTHON = ROOT / "clients" / "python"
RUNS = 8


def json_of(value: Any) -> bytes:
    return msgspec.json.encode(value, enc_hook=to_json)


def strictly(kind: Any) -> Any:
    return msgspec.json.Decoder(kind, dec_hook=from_json).decode


ONE_FORM = {*MEANINGS} - {"ScoreRequest"}
"""REST tells the two forms of ScoreRequest apart, msgspec does not."""


@pytest.mark.parametrize("name", sorted(ONE_FORM))
def test_what_the_service_writes_the_client_reads_and_writes_back(name: str) -> None:
    choices = random.Random(name)
    kind = MEANINGS[name]
    read = msgspec.json.Decoder(getattr(models, name)).decode
    of = msgspec.json.Decoder(kind, dec_hook=from_json)
    for _ in range(RUNS):
        struct = random_struct(kind, choices)
        theirs = read(json_of(struct))
        assert of.decode(msgspec.json.encode(theirs)) == of.decode(json_of(struct))


@pytest.mark.parametrize("name", sorted({*MEANINGS} & {*READERS}))
def test_over_grpc_the_client_reads_what_the_service_writes(name: str) -> None:
    choices = random.Random(name)
    over_json = msgspec.json.Decoder(getattr(models, name)).decode
    for _ in range(RUNS):
        struct = random_struct(MEANINGS[name], choices)
        data = CODEC.writer(name)(struct)
        assert READERS[name](message(name).FromString(data)) == over_json(json_of(struct))


@pytest.mark.parametrize("name", sorted(ONE_FORM & {*WRITERS}))
def test_over_grpc_the_service_reads_what_the_client_writes(name: str) -> None:
    choices = random.Random(name)
    read = msgspec.json.Decoder(getattr(models, name)).decode
    of = msgspec.json.Decoder(MEANINGS[name], dec_hook=from_json)
    for _ in range(RUNS):
        struct = random_struct(MEANINGS[name], choices)
        made = message(name)()
        WRITERS[name](made, read(json_of(struct)))
        assert CODEC.reader(name)(made.SerializeToString()) == of.decode(json_of(struct))


def test_the_calls_are_those_of_the_service() -> None:
    ours = {value for value in vars(_operations).values() if isinstance(value, _operations.Operation)}
    paths = {(each.verb, each.path.replace("{table}", "{table:str}")) for each in ours}
    rest = {("POST", each.path) for each in OPERATIONS} | {
        (each.method, each.path) for each in (*TABLE_OPERATIONS, WATCH)
    }
    assert paths == rest | {("GET", "/v1/games"), ("GET", "/v1/games/{game}")}
    methods = {each.method for each in ours} - {""}
    assert methods | {"Decide"} == {
        *referee.OPERATIONS,
        *("ListGames", "GetGame", "Batch", "Decide"),
        *tables.OPERATIONS,
        tables.WATCH,
    }
    assert set(NAMES) == set(BATCHED) == {name for name, _ in _operations.ASKED.values()}


def test_every_code_of_the_service_has_a_class() -> None:
    own = {"UNREACHABLE", "UNREADABLE_ANSWER", "UNSUPPORTED_OVER_GRPC"}
    assert set(errors.CODES) == {*STATUSES} | own
    named = {name for name, value in vars(errors).items() if isinstance(value, type) and issubclass(value, Exception)}
    assert set(errors.__all__) == named


def test_the_limits_are_known() -> None:
    assert models.Limits.__struct_fields__ == Limits.__struct_fields__


def test_what_is_generated_is_fresh() -> None:
    command = [sys.executable, "-m", "scripts.client_python", "--check"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_versions_agree() -> None:
    def project(folder: Path) -> Any:
        return tomllib.loads((folder / "pyproject.toml").read_text())["project"]

    version = project(ROOT)["version"]
    assert project(PYTHON)["version"] == project(PYTHON / "engine")["version"] == version
    assert project(PYTHON)["optional-dependencies"]["local"] == [f"scheids-engine=={version}"]
    for folder in (PYTHON, PYTHON / "engine"):
        assert (folder / "LICENSE").read_text() == (ROOT / "LICENSE").read_text()


def test_public_modules_name_what_is_public() -> None:
    for name in scheids_client.__all__:
        assert getattr(scheids_client, name)
    assert not [name for name in scheids_client.__all__ if re.match("_", name)]
