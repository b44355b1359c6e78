"""TLS and mTLS on both ports, certificates that are renewed, and the plain address for probes."""

import io
import json
import signal
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import grpc
import httpx
import pytest
import trustme

from service import observability
from service.access.tls import Certificates
from service.config import BadSettings, load
from tests.service.access.calling import TRANSPORTS, Callers, listed, made, until
from tests.service.access.certificates import (
    HERE,
    Mounted,
    chain_of,
    context,
    credentials,
    files_of,
    key_of,
    shown_at,
)
from tests.service.grpc_server import raw
from tests.service.running import SECONDS, Running, running, started

CA = trustme.CA()
CLIENTS = trustme.CA()
OTHERS = trustme.CA()


@pytest.fixture
def mounted(tmp_path: Path) -> Mounted:
    made = Mounted(tmp_path)
    made.put(**files_of(CA.issue_cert(HERE), CLIENTS))
    return made


class Secured:
    """A caller of a service that speaks TLS."""

    def __init__(self, server: Running, client: trustme.LeafCert | None = None, ca: trustme.CA = CA) -> None:
        self._url = f"https://{server.ready.rest}"
        self._context = context(ca, client)
        self._target = str(server.ready.grpc)
        self._credentials = credentials(ca, client)

    def deals(self, transport: str) -> bool:
        """Whether a deal is answered over a transport; all of them over connections of their own."""
        with (
            httpx.Client(base_url=self._url, verify=self._context, timeout=SECONDS) as http,
            grpc.secure_channel(self._target, self._credentials, [("grpc.use_local_subchannel_pool", 1)]) as channel,
        ):
            try:
                return Callers(http, channel).deal(transport).code == "OK"
            except (httpx.TransportError, AssertionError):
                return False


def ports(server: Running) -> Iterator[int]:
    yield server.ready.rest.port
    yield server.ready.grpc.port


def test_both_ports_speak_tls(mounted: Mounted) -> None:
    with running(tables="off", **mounted.settings()) as server:
        assert server.ready.tls
        for transport in TRANSPORTS:
            assert Secured(server).deals(transport)
            assert not Secured(server, ca=OTHERS).deals(transport)
        with pytest.raises(httpx.TransportError):
            httpx.get(f"http://{server.ready.rest}/livez")
        with grpc.insecure_channel(str(server.ready.grpc)) as plain, pytest.raises(grpc.RpcError, match="UNAVAILABLE"):
            raw(plain, "ListGames")(b"", timeout=SECONDS)


def test_who_shows_no_certificate_is_refused_on_both_ports(mounted: Mounted) -> None:
    with running(tables="off", **mounted.settings(clients=True)) as server:
        for transport in TRANSPORTS:
            assert Secured(server, CLIENTS.issue_cert("caller.example")).deals(transport)
            assert not Secured(server).deals(transport)
            assert not Secured(server, OTHERS.issue_cert("caller.example")).deals(transport)
            assert not Secured(server, CA.issue_cert("caller.example")).deals(transport)


def test_renewed_certificates_are_shown_without_a_restart(mounted: Mounted) -> None:
    caller = CLIENTS.issue_cert("caller.example")
    log = io.StringIO()
    with running(tables="off", **mounted.settings(clients=True)) as server, ExitStack() as stack:
        observability.configure("info", log)
        first = {shown_at(port, CA, caller) for port in ports(server)}
        assert len(first) == 1
        kept = stack.enter_context(httpx.Client(base_url=f"https://{server.ready.rest}", verify=context(CA, caller)))
        assert kept.get("/livez").status_code == 200
        mounted.put(**files_of(CA.issue_cert(HERE), CLIENTS))
        until(lambda: "renewed" in log.getvalue())
        second = {shown_at(port, CA, caller) for port in ports(server)}
        assert len(second) == 1
        assert not second & first
        assert kept.get("/livez").status_code == 200  # a connection that there was goes on
        mounted.put(chain=chain_of(CA.issue_cert(HERE)), key=key_of(CA.issue_cert(HERE)), ca=CLIENTS.cert_pem.bytes())
        until(lambda: "not renewed" in log.getvalue())
        assert "is not the certificate's key" in log.getvalue()
        assert {shown_at(port, CA, caller) for port in ports(server)} == second
        mounted.put(**files_of(CA.issue_cert(HERE), OTHERS))
        until(lambda: Secured(server, OTHERS.issue_cert("caller.example")).deals("rest"))
        for transport in TRANSPORTS:
            assert Secured(server, OTHERS.issue_cert("caller.example")).deals(transport)
            assert not Secured(server, caller).deals(transport)
    observability.configure("error")


def test_every_fault_of_tls_is_told_at_once(tmp_path: Path) -> None:
    (tmp_path / "empty").write_text("nothing")
    cert = CA.issue_cert(HERE)
    (tmp_path / "chain").write_bytes(chain_of(cert))
    (tmp_path / "key").write_bytes(key_of(cert))
    (tmp_path / "other").write_bytes(key_of(CA.issue_cert(HERE)))

    def faults(**names: str) -> list[str]:
        set_to = {f"SCHEIDS_TLS_{name.upper()}_FILE": str(tmp_path / file) for name, file in names.items()}
        with pytest.raises(BadSettings) as bad:
            load({**set_to, "SCHEIDS_MAX_WORK": "0"})
        assert bad.value.faults[0].startswith("SCHEIDS_MAX_WORK")
        return [fault.replace(str(tmp_path), "").removeprefix("SCHEIDS_TLS_") for fault in bad.value.faults[1:]]

    missing = "cannot be read: No such file or directory"
    assert faults(cert="none", key="none", client_ca="empty") == [
        f"CERT_FILE: {missing}, /none",
        f"KEY_FILE: {missing}, /none",
        "CLIENT_CA_FILE: no certificate in PEM, /empty",
    ]
    assert faults(cert="key", key="key") == ["CERT_FILE: no certificate in PEM, /key"]
    assert faults(cert="chain", key="other") == ["KEY_FILE: is not the certificate's key, /other"]
    assert faults(cert="chain", key="empty") == ["KEY_FILE: no private key in PEM, or an encrypted one, /empty"]
    assert faults(cert="chain") == ["KEY_FILE: must be set for TLS"]
    assert faults(key="key") == ["CERT_FILE: must be set for TLS"]
    assert faults(client_ca="chain") == ["CERT_FILE: must be set for TLS", "KEY_FILE: must be set for TLS"]
    set_to = {f"SCHEIDS_TLS_{name}_FILE": str(tmp_path / name.lower()) for name in ("KEY",)}
    assert load({**set_to, "SCHEIDS_TLS_CERT_FILE": str(tmp_path / "chain")}).tls_files is not None


def test_words_between_certificates_are_in_any_script(mounted: Mounted) -> None:
    """Bundles of authorities name each of theirs."""
    files = files_of(CA.issue_cert(HERE), CLIENTS)
    settings = {f"SCHEIDS_{name.upper()}": path for name, path in mounted.settings(clients=True).items()}
    for words in ("# Főtanúsítvány\n".encode(), b"# F\xf5\n"):
        mounted.put(**{name: words + pem for name, pem in files.items()})
        found = load(settings).tls_files
        assert found is not None
        Certificates(found).renew()
    mounted.put(**{**files, "ca": b"# F\xf5\n"})
    with pytest.raises(BadSettings, match="SCHEIDS_TLS_CLIENT_CA_FILE: no certificate in PEM"):
        load(settings)


def test_probes_and_metrics_have_a_plain_address_and_nothing_else_does(mounted: Mounted) -> None:
    with running(probe_address="127.0.0.1:0", **mounted.settings(clients=True)) as server:
        plain = f"http://{server.ready.probes}"
        assert httpx.get(f"{plain}/livez").json() == {"status": "alive"}
        assert httpx.get(f"{plain}/readyz").json() == {"status": "ready", "tables": "ready"}
        assert "scheids_build_info" in httpx.get(f"{plain}/metrics").text
        for path in ("/v1/games", "/docs", "/openapi.json", "/", "/scheids.v1.Referee/ListGames"):
            answer = httpx.get(f"{plain}{path}")
            assert (answer.status_code, answer.json()["code"]) == (404, "NOT_FOUND"), path
        assert httpx.post(f"{plain}/livez").status_code == 405
        with pytest.raises(httpx.TransportError):
            httpx.get(f"https://{server.ready.probes}/livez", verify=context(CA))


def test_the_plain_address_says_when_the_service_stops() -> None:
    with running(tables="off", probe_address="127.0.0.1:0", drain_seconds=4) as server:
        server.service.stop()
        until(lambda: httpx.get(f"http://{server.ready.probes}/readyz").status_code == 503)


def test_addresses_are_not_the_same() -> None:
    with pytest.raises(BadSettings, match="SCHEIDS_PROBE_ADDRESS: is the address of something else"):
        load({"SCHEIDS_PROBE_ADDRESS": "127.0.0.1:8081"})


PUBLIC = {"SCHEIDS_TABLES": "off", "SCHEIDS_HTTP_ADDRESS": "0.0.0.0:0", "SCHEIDS_LOG_LEVEL": "warning"}
KEYED = {"SCHEIDS_API_KEYS": listed(made("a"))}


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        (PUBLIC, ["whoever reaches it may call it"]),
        (PUBLIC | KEYED, ["API keys go over the network as plain text"]),
        (PUBLIC | {"SCHEIDS_WORKERS": "2"}, ["whoever reaches it may call it"]),
        ({"SCHEIDS_TABLES": "off", "SCHEIDS_LOG_LEVEL": "warning"}, []),
    ],
)
def test_a_public_address_without_tls_is_told_of_once(settings: dict[str, str], told: list[str]) -> None:
    with started(**settings) as process:
        assert process.stdout is not None
        assert "ready" in process.stdout.readline()
        process.send_signal(signal.SIGTERM)
        _, log = process.communicate(timeout=SECONDS)
    assert [json.loads(line)["so"] for line in log.splitlines() if "without TLS" in line] == told


def test_a_public_address_with_tls_is_told_of_by_nobody(mounted: Mounted) -> None:
    with started(**PUBLIC, **_environ(mounted.settings())) as process:
        assert process.stdout is not None
        assert "REST on https://0.0.0.0:" in process.stdout.readline()
        assert "curl -s https://127.0.0.1:" in process.stdout.readline()
        process.send_signal(signal.SIGTERM)
        _, log = process.communicate(timeout=SECONDS)
    assert (process.returncode, log) == (0, "")


def test_workers_share_tls_keys_and_the_plain_address(mounted: Mounted) -> None:
    key = made("ours")
    named = {**mounted.settings(), "workers": "2", "api_keys": listed(key), "probe_address": "127.0.0.1:0"}
    with started(
        SCHEIDS_TABLES="off", **{f"SCHEIDS_{name.upper()}": value for name, value in named.items()}
    ) as process:
        assert process.stdout is not None
        url = process.stdout.readline().split("REST on ")[1].split(",")[0]
        for _ in range(6):  # whichever of them has the connection
            with httpx.Client(base_url=url, verify=context(CA)) as http:
                assert http.get("/v1/games").json()["code"] == "NO_API_KEY"
                assert http.get("/v1/games", headers=list(key.headers)).status_code == 200
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=SECONDS)
    assert process.returncode == 0


def _environ(settings: dict[str, str]) -> dict[str, str]:
    return {f"SCHEIDS_{name.upper()}": value for name, value in settings.items()}
