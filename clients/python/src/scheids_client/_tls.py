"""TLS with other certificates than the machine's own."""

import ssl
from dataclasses import dataclass
from pathlib import Path

import grpc


@dataclass(frozen=True, kw_only=True)
class Tls:
    """Files in PEM: authorities that the service's certificate may be of, and a certificate to show it, with its key.

    Without `ca` those that the machine trusts are trusted. They are read when the client is made.
    """

    ca: str | Path | None = None
    cert: str | Path | None = None
    key: str | Path | None = None

    def __post_init__(self) -> None:
        if (self.cert is None) != (self.key is None):
            raise ValueError("a certificate is shown with its key: name both")

    def context(self) -> ssl.SSLContext:
        """For HTTP."""
        made = ssl.create_default_context(cafile=self.ca)
        if self.cert is not None:
            made.load_cert_chain(self.cert, self.key)
        return made

    def credentials(self) -> grpc.ChannelCredentials:
        """For gRPC."""
        ca, key, cert = (None if file is None else Path(file).read_bytes() for file in (self.ca, self.key, self.cert))
        return grpc.ssl_channel_credentials(ca, key, cert)
