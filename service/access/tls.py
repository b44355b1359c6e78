"""Certificates, the service's and of those who may call it: read, checked, and taken in again once they are renewed."""

import ssl
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, Self

from msgspec import Struct

PROTOCOLS: Final = ["http/1.1"]


class Pems(Struct, frozen=True):
    """What is in the files: the chain that is shown, its private key, and the authorities that callers need one of."""

    chain: bytes
    key: bytes
    client_ca: bytes | None = None

    def __repr__(self) -> str:
        return "Pems(...)"


class Files(Struct, frozen=True):
    """Where the PEMs are; with `client_ca`, callers have to show a certificate too."""

    chain: Path
    key: Path
    client_ca: Path | None = None

    @property
    def all(self) -> Sequence[Path]:
        """Those that there are."""
        return [path for path in (self.chain, self.key, self.client_ca) if path is not None]


class BadCertificates(ValueError):  # noqa: N818 - reads as what is wrong
    """Files cannot be used; `faults` says why, by their names in `Files`."""

    def __init__(self, faults: dict[str, str]) -> None:
        super().__init__("; ".join(f"{name}: {fault}" for name, fault in faults.items()))
        self.faults = faults


class Certificates:
    """Those of the files, as they were when they could last be used. May be used from any thread."""

    def __init__(self, files: Files) -> None:
        """BadCertificates where they cannot be used."""
        self.files = files
        self._made = _read(files)

    def renew(self) -> None:
        """Takes in the files as they are now. BadCertificates, and nothing changes, where they cannot be used."""
        self._made = _read(self.files)

    @property
    def pems(self) -> Pems:
        """What is in the files."""
        return self._made[0]

    @property
    def context(self) -> ssl.SSLContext:
        """The TLS context of them."""
        return self._made[1]

    def renewing_context(self) -> ssl.SSLContext:
        """A context whose connections each have the certificates of their own time."""
        return _Renewing(self)


class _Renewing(ssl.SSLContext):
    """Hands each connection to the context of now: so authorities are exchanged too, which one context only adds to."""

    _certificates: Certificates

    def __new__(cls, certificates: Certificates) -> Self:
        made = super().__new__(cls, ssl.PROTOCOL_TLS_SERVER)
        made._certificates = certificates
        return made

    def wrap_bio(self, *parts: Any, **named: Any) -> ssl.SSLObject:
        return self._certificates.context.wrap_bio(*parts, **named)


def _read(files: Files) -> tuple[Pems, ssl.SSLContext]:
    faults: dict[str, str] = {}
    found: dict[str, bytes] = {}
    for name in Files.__struct_fields__:
        path = getattr(files, name)
        if path is None:
            continue
        try:
            found[name] = path.read_bytes()
        except OSError as fault:
            faults[name] = f"cannot be read: {fault.strerror}, {path}"
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.set_alpn_protocols(PROTOCOLS)
    for name in ("chain", "client_ca"):
        if name in found and not _has_certificate(found[name]):
            faults[name] = f"no certificate in PEM, {getattr(files, name)}"
    if not faults:
        try:
            context.load_cert_chain(files.chain, files.key, password=lambda: "")
        except OSError as fault:
            faults["key"] = f"{_reason(fault)}, {files.key}"
    if files.client_ca is not None and "client_ca" not in faults and "client_ca" in found:
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(cadata=_text(found["client_ca"]))
    if not faults and any(_is_other(getattr(files, name), read) for name, read in found.items()):
        faults["chain"] = "is being changed just now"  # who looks again finds it whole
    if faults:
        raise BadCertificates(faults)
    return Pems(**found), context


def _is_other(path: Path, read: bytes) -> bool:
    try:
        return path.read_bytes() != read
    except OSError:
        return True


def _text(pem: bytes) -> str:
    """As the library takes it: between certificates there may be words, in any script and coding."""
    return pem.decode("ascii", "backslashreplace")


def _has_certificate(pem: bytes) -> bool:
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_verify_locations(cadata=_text(pem))
    except (ssl.SSLError, ValueError):
        return False
    return True


def _reason(fault: OSError) -> str:
    if not isinstance(fault, ssl.SSLError):
        return f"cannot be read: {fault.strerror}"
    if fault.reason == "KEY_VALUES_MISMATCH":
        return "is not the certificate's key"
    return "no private key in PEM, or an encrypted one"
