"""Redis by URL: what each form means, and TLS."""

import asyncio
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from service.store import StoreAway
from service.store.redis import RedisOptions, RedisStore, Target
from tests.service.store import servers
from tests.service.store.tables import create, play, read


def test_forms() -> None:
    plain = Target.of("redis://cards:p%40ss@db.example:7000/3")
    assert (plain.kind, plain.addresses, plain.database) == ("standalone", (("db.example", 7000),), 3)
    assert (plain.username, plain.password, plain.tls) == ("cards", "p@ss", None)
    assert Target.of("redis://:secret@h").password == "secret"
    assert Target.of("redis://[::1]").addresses == (("::1", 6379),)
    tls = Target.of("rediss://h?ssl_ca_certs=/ca.pem&ssl_check_hostname=false")
    assert tls.tls == {"ssl_ca_certs": "/ca.pem", "ssl_check_hostname": False}
    assert Target.of("rediss://h?ssl_cert_reqs=none").tls == {"ssl_cert_reqs": "none", "ssl_check_hostname": False}
    sentinel = Target.of("rediss+sentinel://u:p@a,b:7/tables?db=2&sentinel_username=s&sentinel_password=t")
    assert (sentinel.kind, sentinel.addresses) == ("sentinel", (("a", 26379), ("b", 7)))
    assert (sentinel.service, sentinel.database, sentinel.tls) == ("tables", 2, {})
    assert (sentinel.sentinel_username, sentinel.sentinel_password) == ("s", "t")
    cluster = Target.of("redis+cluster://a:1,b:2,[::1]:3")
    assert (cluster.kind, cluster.addresses) == ("cluster", (("a", 1), ("b", 2), ("::1", 3)))


@pytest.mark.parametrize(
    "url",
    [
        "",
        "localhost:6379",
        "http://secret@h",
        "redis://",
        "redis://a,b",
        "redis://a:65536",
        "redis://a:x",
        "redis://h/x",
        "redis://h?socket_timeout=1",
        "redis://h?ssl_ca_certs=/ca",
        "rediss://h?ssl_cert_reqs=maybe",
        "redis+sentinel://a",
        "redis+sentinel://a/tables?db=x",
        "redis+cluster://a/1",
        "redis+cluster://a/0?db=1",
        "redis+pool://a",
    ],
)
def test_what_is_no_url_is_refused_and_not_shown(url: str) -> None:
    with pytest.raises(ValueError, match=r"Expected|Several|option") as refused:
        Target.of(url)
    assert "secret" not in str(refused.value)


def test_a_target_shows_no_password() -> None:
    assert "secret" not in repr(Target.of("redis://:secret@h"))


def test_options_that_cannot_be() -> None:
    with pytest.raises(ValueError, match="prefix"):
        RedisOptions(prefix="{a}")
    with pytest.raises(ValueError, match="wait_seconds"):
        RedisOptions(wait_replicas=1, wait_seconds=3)


def make_certificate(certificate: Path, key: Path) -> None:
    """One that signs itself, for 127.0.0.1."""
    subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"]
    made = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"]
    subprocess.run([*made, *subject, "-out", certificate, "-keyout", key], check=True, capture_output=True)


@pytest.mark.redis
@pytest.mark.skipif(shutil.which("openssl") is None, reason="there is no openssl on the PATH to make a certificate")
async def test_tls(tmp_path: Path, make_redis: Callable[..., RedisStore]) -> None:
    certificate, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    await asyncio.to_thread(make_certificate, certificate, key)
    (port,) = servers.free_ports(1)
    files = ["--tls-cert-file", str(certificate), "--tls-key-file", str(key), "--tls-auth-clients", "no"]
    with servers.standalone(tmp_path, "--tls-port", str(port), *files):
        store = make_redis(f"rediss://127.0.0.1:{port}?ssl_ca_certs={certificate}")
        table = await create(store)
        async with store.watch(table, 1) as watching:
            await play(store, table, 1, 2)
            assert await watching.next(5) is not None
        assert (await read(store, table)).version == 2
        with pytest.raises(StoreAway):
            await make_redis(f"rediss://127.0.0.1:{port}").ping()
        with pytest.raises(StoreAway):
            await make_redis(f"redis://127.0.0.1:{port}").ping()
