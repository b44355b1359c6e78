"""What the manifests say of the service, compared with what the service itself says."""

import atexit
import re
import shutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, Final
from urllib.parse import urlsplit

import trustme
from grpc_health.v1 import health
from litestar import Litestar

from service.beside import Beside
from service.config import BadSettings, Settings, load, version_of_service
from service.rules import Rules
from service.tracing.environment import KNOWN
from service.transports import connect, rest
from service.transports.grpc.server import HEALTH_SECONDS, LAST_SECONDS, SERVICES
from tests.deploy.layers import Document, containers
from tests.service.running import ROOT

SPARE_SECONDS: Final = 8
"""What may pass between the last call and the end of the process, on a machine that is busy, traces being sent."""

STAND_INS: Final = {
    "secret": "what the operator puts there at a length that will do",
    "redis-url": "redis://scheids:secret@redis.example.com:6379/0",
    "redis-password": "secret",
}
"""What a Secret that is no part of the manifests may hold, by its keys."""

STAND_IN_CA: Final = trustme.CA()
STAND_IN_CERT: Final = STAND_IN_CA.issue_cert("scheids.example.com")
STAND_IN_FILES: Final[dict[str, bytes]] = {
    "tls.crt": STAND_IN_CERT.cert_chain_pems[0].bytes(),
    "tls.key": STAND_IN_CERT.private_key_pem.bytes(),
    "ca.crt": STAND_IN_CA.cert_pem.bytes(),
    "keys.json": b'[{"name":"a","sha256":"%s"}]' % (b"0" * 64),
}
"""What the files of a Secret may hold that is no part of the manifests, by their names."""

LINKS: Final = ("{}_SERVICE_HOST", "{}_SERVICE_PORT", "{}_PORT")
REFERENCE: Final = re.compile(r"\$\(([A-Za-z_]+)\)")
RESTRICTED: Final = {
    "allowPrivilegeEscalation": False,
    "privileged": False,
    "readOnlyRootFilesystem": True,
    "capabilities": {"drop": ["ALL"]},
}


def paths_of_service() -> frozenset[str]:
    """The paths that the service has in the port of HTTP."""
    rules = Rules(Settings().limits)
    beside = Beside()
    app: Any = rest.create_app(rules, beside=beside, more=connect.routes(rules, None, beside))
    while not isinstance(app, Litestar):
        app = app._app  # noqa: SLF001
    return frozenset(route.path for route in app.routes)


@cache
def stand_ins() -> Path:
    """A folder with the files of Secrets, for as long as the tests last."""
    folder = Path(mkdtemp(prefix="scheids-secrets-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    for name, data in STAND_IN_FILES.items():
        (folder / name).write_bytes(data)
    return folder


def image_user() -> str:
    """The user of the Dockerfile, as uid:gid."""
    found = re.findall(r"^USER (\S+)$", (ROOT / "Dockerfile").read_text(), re.MULTILINE)
    return str(found[-1])


class Deployed:
    """The service as some manifests deploy it."""

    def __init__(self, documents: list[Document]) -> None:
        self.documents = documents
        (self.deployment,) = self.of("Deployment")
        self.pod: Document = self.deployment["spec"]["template"]["spec"]
        (self.container,) = containers(self.deployment)
        self.labels: dict[str, str] = self.deployment["spec"]["template"]["metadata"]["labels"]
        self.ports = {port["name"]: port["containerPort"] for port in self.container["ports"]}

    def of(self, kind: str) -> list[Document]:
        return [document for document in self.documents if document["kind"] == kind]

    def environment(self) -> dict[str, str]:
        """The environment as Kubernetes would make it."""
        made: dict[str, str] = {}
        for source in self.container.get("envFrom", ()):
            made |= self._found("ConfigMap", source["configMapRef"]["name"])["data"]
        for variable in self.container.get("env", ()):
            made[variable["name"]] = self._value(variable, made)
        if self.pod.get("enableServiceLinks", True):
            for service in self.of("Service"):
                name = service["metadata"]["name"].upper().replace("-", "_")
                made |= {link.format(name): "10.0.0.1" for link in LINKS}
        return {name: self._mounted(value) for name, value in made.items()}

    def _mounted(self, value: str) -> str:
        """A value, and of one that is a file of a Secret where a stand-in for it is."""
        secret = {volume["name"] for volume in self.pod["volumes"] if "secret" in volume}
        for mount in self.container["volumeMounts"]:
            if mount["name"] in secret and value.startswith(mount["mountPath"] + "/"):
                return str(stand_ins() / value.removeprefix(mount["mountPath"] + "/"))
        return value

    def _value(self, variable: Document, made: dict[str, str]) -> str:
        if "value" in variable:
            # What has not been made by now is left as it stands.
            return REFERENCE.sub(lambda found: made.get(found[1], found[0]), variable["value"])
        if "fieldRef" in variable["valueFrom"]:
            return "of-the-pod"
        named = variable["valueFrom"]["secretKeyRef"]
        given = [each for each in self.of("Secret") if each["metadata"]["name"] == named["name"]]
        if given:
            return str(given[0]["data"][named["key"]])
        return STAND_INS[named["key"]]

    def _found(self, kind: str, name: str) -> Document:
        (found,) = (each for each in self.of(kind) if each["metadata"]["name"] == name)
        return found

    def faults(self, paths: frozenset[str]) -> list[str]:
        """Everything in which manifests and service differ."""
        try:
            settings = load(self.environment())
        except BadSettings as bad:
            return [*bad.faults, *self._of_pod(), *self._of_network(), *self._of_routes(paths)]
        return [
            *self._of_settings(settings),
            *self._of_traces(settings),
            *self._of_probes(settings, paths),
            *self._of_pod(),
            *self._of_network(),
            *self._of_routes(paths),
            *self._of_monitors(settings, paths),
        ]

    def _of_settings(self, settings: Settings) -> Iterator[str]:
        listened = {"http": settings.http_address, "grpc": settings.grpc_address}
        if settings.probe_address.address is not None:
            listened["probes"] = settings.probe_address.address
        for name, address in listened.items():
            if self.ports.get(name) != address.port:
                yield f"port {name}: the container has {self.ports.get(name)}, the service listens on {address.port}"
            if address.is_local:
                yield f"port {name}: {address} is reached from within the pod only"
        for name in self.ports.keys() - listened:
            yield f"port {name}: the service does not listen on it"
        longest = settings.drain_seconds + settings.shutdown_seconds + HEALTH_SECONDS + LAST_SECONDS + SPARE_SECONDS
        grace = self.pod.get("terminationGracePeriodSeconds", 30)
        if grace < longest:
            yield f"grace: {grace} s, and stopping may take {longest} s"

    def _of_traces(self, settings: Settings) -> Iterator[str]:
        environ = self.environment()
        for name in environ:
            if name.startswith("OTEL_") and name not in KNOWN:
                yield f"{name}: makes no difference to the service"
        if settings.traces == "off":
            return
        collector = urlsplit(environ.get("OTEL_EXPORTER_OTLP_ENDPOINT", ""))
        allowed = [
            port["port"]
            for policy in self.of("NetworkPolicy")
            for rule in policy["spec"].get("egress", ())
            for port in rule["ports"]
        ]
        if collector.port not in allowed:
            yield f"traces: no NetworkPolicy lets them out to {collector.port}"

    def _of_probes(self, settings: Settings, paths: frozenset[str]) -> Iterator[str]:
        plain = self.plain_ports(settings)
        for name in ("startupProbe", "readinessProbe", "livenessProbe"):
            probe = self.container.get(name, {})
            if "httpGet" in probe:
                port, path = probe["httpGet"]["port"], probe["httpGet"]["path"]
                if port not in (*plain, *(self.ports.get(each) for each in plain)):
                    yield f"{name}: {port} is not the port of HTTP"
                if path not in paths or path not in ("/livez", "/readyz"):
                    yield f"{name}: the service has no probe {path}"
            elif "grpc" in probe:
                if settings.tls_files is not None:
                    yield f"{name}: a gRPC probe knows no TLS"
                if probe["grpc"]["port"] != self.ports.get("grpc"):
                    yield f"{name}: {probe['grpc']['port']} is not the port of gRPC"
                if probe["grpc"].get("service", "") not in ("", *SERVICES):
                    yield f"{name}: the service knows no health of {probe['grpc']['service']}"
            else:
                yield f"{name}: asks neither HTTP nor gRPC"

    @staticmethod
    def plain_ports(settings: Settings) -> list[str]:
        """The ports at which HTTP is spoken without TLS."""
        plain = [] if settings.tls_files is not None else ["http"]
        return plain if settings.probe_address.address is None else [*plain, "probes"]

    def _of_pod(self) -> Iterator[str]:
        uid, gid = image_user().split(":")
        user = self.pod["securityContext"]
        if (str(user.get("runAsUser")), str(user.get("runAsGroup"))) != (uid, gid):
            yield f"user: {user.get('runAsUser')}:{user.get('runAsGroup')}, and the image's is {uid}:{gid}"
        if user.get("runAsNonRoot") is not True or user.get("seccompProfile") != {"type": "RuntimeDefault"}:
            yield "securityContext: of the pod, is not restricted"
        if self.container.get("securityContext") != RESTRICTED:
            yield "securityContext: of the container, is not restricted"
        if self.pod.get("automountServiceAccountToken") is not False:
            yield "automountServiceAccountToken: is not false"
        if self.container["image"] not in ("scheids", f"scheids:{version_of_service()}"):
            yield f"image: {self.container['image']} is not that of {version_of_service()}"

    def _selects(self, selector: dict[str, str]) -> bool:
        return selector.items() <= self.labels.items()

    def _of_network(self) -> Iterator[str]:
        for service in self.of("Service"):
            if not self._selects(service["spec"]["selector"]):
                continue
            for port in service["spec"]["ports"]:
                if port["targetPort"] not in self.ports:
                    yield f"Service {service['metadata']['name']}: the container has no port {port['targetPort']}"
        for kind in ("PodDisruptionBudget", "NetworkPolicy"):
            for document in self.of(kind):
                spec, name = document["spec"], document["metadata"]["name"]
                selected = (spec.get("selector") or spec["podSelector"]).get("matchLabels", {})
                if name.startswith("scheids") and not self._selects(selected):
                    yield f"{kind} {name}: selects no pod of the service"
                for rule in spec.get("ingress", ()) if self._selects(selected) else ():
                    for port in rule["ports"]:
                        if port["port"] not in self.ports:
                            yield f"{kind} {name}: the container has no port {port['port']}"
        for document in self.of("HorizontalPodAutoscaler"):
            if document["spec"]["scaleTargetRef"]["name"] != self.deployment["metadata"]["name"]:
                yield "HorizontalPodAutoscaler: scales something else"

    def _of_monitors(self, settings: Settings, paths: frozenset[str]) -> Iterator[str]:
        for document in self.of("ServiceMonitor"):
            selected = [
                service
                for service in self.of("Service")
                if document["spec"]["selector"]["matchLabels"].items() <= service["metadata"]["labels"].items()
            ]
            for endpoint in document["spec"]["endpoints"]:
                ports = [
                    port
                    for service in selected
                    for port in service["spec"]["ports"]
                    if port["name"] == endpoint["port"]
                ]
                if len(ports) != 1:
                    yield f"ServiceMonitor: not one Service has the port {endpoint['port']}"
                elif ports[0]["targetPort"] not in self.plain_ports(settings):
                    yield f"ServiceMonitor: the service speaks no plain HTTP at {endpoint['port']}"
                if endpoint["path"] not in paths:
                    yield f"ServiceMonitor: the service has no {endpoint['path']}"

    def _of_routes(self, paths: frozenset[str]) -> Iterator[str]:
        for document in [*self.of("HTTPRoute"), *self.of("GRPCRoute")]:
            for rule in document["spec"]["rules"]:
                yield from self._of_rule(document["kind"], rule, paths)

    def _of_rule(self, kind: str, rule: Document, paths: frozenset[str]) -> Iterator[str]:
        for match in rule["matches"]:
            if kind == "GRPCRoute" and match["method"]["service"] not in (*SERVICES, health.SERVICE_NAME):
                yield f"{kind}: there is no {match['method']['service']}"
            path: Any = match.get("path")
            if path and path["type"] == "Exact" and path["value"] not in paths:
                yield f"{kind}: the service has no {path['value']}"
            if path and not any(each == path["value"] or each.startswith(path["value"] + "/") for each in paths):
                yield f"{kind}: the service has nothing under {path['value']}"
        for backend in rule["backendRefs"]:
            ports = [
                port["port"]
                for service in self.of("Service")
                if service["metadata"]["name"] == backend["name"]
                for port in service["spec"]["ports"]
            ]
            if backend["port"] not in ports:
                yield f"{kind}: Service {backend['name']} has no port {backend['port']}"
