"""Certificates of authorities that last as long as a test, in files as cert-manager and Kubernetes put them there."""

import socket
import ssl
from pathlib import Path

import grpc
import trustme

HERE = "127.0.0.1"


class Mounted:
    """A folder whose files are links into another folder, which is exchanged as a whole."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._number = 0

    def put(self, **files: bytes) -> None:
        """Exchanges the files for these, which are named without their dots."""
        self._number += 1
        made = self._folder / str(self._number)
        made.mkdir()
        for name, data in files.items():
            (made / name).write_bytes(data)
            if not (self._folder / name).is_symlink():
                (self._folder / name).symlink_to(self._folder / "data" / name)
        (self._folder / "new").symlink_to(made)
        (self._folder / "new").rename(self._folder / "data")

    def path(self, name: str) -> str:
        return str(self._folder / name)

    def settings(self, *, clients: bool = False) -> dict[str, str]:
        """Settings that name the files."""
        named = {"tls_cert_file": self.path("chain"), "tls_key_file": self.path("key")}
        return named | ({"tls_client_ca_file": self.path("ca")} if clients else {})


def chain_of(cert: trustme.LeafCert) -> bytes:
    return b"".join(blob.bytes() for blob in cert.cert_chain_pems)


def key_of(cert: trustme.LeafCert) -> bytes:
    return cert.private_key_pem.bytes()


def files_of(cert: trustme.LeafCert, clients: trustme.CA | None = None) -> dict[str, bytes]:
    """What a certificate's files hold."""
    ca = {} if clients is None else {"ca": clients.cert_pem.bytes()}
    return {"chain": chain_of(cert), "key": key_of(cert), **ca}


def context(ca: trustme.CA, client: trustme.LeafCert | None = None) -> ssl.SSLContext:
    """TLS as a caller speaks it."""
    made = ssl.create_default_context(cadata=ca.cert_pem.bytes().decode())
    if client is not None:
        client.configure_cert(made)
    return made


def credentials(ca: trustme.CA, client: trustme.LeafCert | None = None) -> grpc.ChannelCredentials:
    """The same for gRPC."""
    if client is None:
        return grpc.ssl_channel_credentials(ca.cert_pem.bytes())
    return grpc.ssl_channel_credentials(ca.cert_pem.bytes(), key_of(client), chain_of(client))


def shown_at(port: int, ca: trustme.CA, client: trustme.LeafCert | None = None) -> str:
    """The serial number of the certificate that a port shows."""
    spoken = context(ca, client)
    spoken.set_alpn_protocols(["h2", "http/1.1"])
    with socket.create_connection((HERE, port)) as plain, spoken.wrap_socket(plain, server_hostname=HERE) as secure:
        found = secure.getpeercert()
        assert found is not None
        return str(found["serialNumber"])
