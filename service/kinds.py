"""The kinds of values that settings have: each is made of its text, and says in a ValueError what is wrong with it."""

import contextlib
import errno
import ipaddress
import re
from pathlib import Path
from typing import ClassVar, Final, Self

from .access import ApiKey, read_keys
from .store.redis import Target
from .tables import SECRET_BYTES

LAST_PORT: Final = 65_535
_ADDRESS: Final = re.compile(r"(?P<host>\[[0-9A-Fa-f:.%]+\]|[A-Za-z0-9._-]+):(?P<port>[0-9]{1,5})")


class Address:
    """Where a server listens: ``host:port``, an IPv6 host in brackets; port 0 takes a free one.

    >>> Address("[::1]:8080").host, Address("localhost:0").port
    ('::1', 0)
    """

    __slots__ = ("host", "port")
    looks: ClassVar = "`host:port`"

    def __init__(self, text: str) -> None:
        match = _ADDRESS.fullmatch(text)
        if match is None or int(match["port"]) > LAST_PORT:
            raise ValueError("Expected host:port, such as 127.0.0.1:8080")
        self.host = match["host"].strip("[]")
        self.port = int(match["port"])

    @property
    def is_local(self) -> bool:
        """Whether only this machine reaches it."""
        with contextlib.suppress(ValueError):
            return ipaddress.ip_address(self.host).is_loopback
        return self.host == "localhost"

    @classmethod
    def of(cls, host: str, port: int) -> Self:
        """The address of a host without brackets and a port."""
        return cls(f"[{host}]:{port}" if ":" in host else f"{host}:{port}")

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    def __repr__(self) -> str:
        return f"Address({str(self)!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Address) and str(other) == str(self)

    def __hash__(self) -> int:
        return hash(str(self))


class OtherAddress:
    """An address, or none."""

    __slots__ = ("address",)
    looks: ClassVar = Address.looks

    def __init__(self, text: str = "") -> None:
        self.address = Address(text) if text else None

    def __str__(self) -> str:
        return str(self.address or "")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OtherAddress) and other.address == self.address

    def __hash__(self) -> int:
        return hash(self.address)


class Folder:
    """A folder of the machine; ``~`` is the home of whoever runs the service."""

    __slots__ = ("text",)
    looks: ClassVar = "a folder"

    def __init__(self, text: str) -> None:
        if not text.strip():
            raise ValueError("Expected the path of a folder")
        self.text = text

    @property
    def path(self) -> Path:
        """The folder's path."""
        try:
            return Path(self.text).expanduser()
        except RuntimeError as fault:
            raise FileNotFoundError(errno.ENOENT, "nobody has that home", self.text) from fault

    def __str__(self) -> str:
        return self.text

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Folder) and other.text == self.text

    def __hash__(self) -> int:
        return hash(self.text)


class File:
    """A file of the machine, or none; ``~`` is the home of whoever runs the service."""

    __slots__ = ("text",)
    looks: ClassVar = "a file"

    def __init__(self, text: str = "") -> None:
        self.text = text.strip()

    @property
    def path(self) -> Path:
        """The file's path; as it stands where nobody has the home that it names, and so no such file is found."""
        try:
            return Path(self.text).expanduser()
        except RuntimeError:
            return Path(self.text)

    def __bool__(self) -> bool:
        return bool(self.text)

    def __str__(self) -> str:
        return self.text

    def __eq__(self, other: object) -> bool:
        return isinstance(other, File) and other.text == self.text

    def __hash__(self) -> int:
        return hash(self.text)


class Hidden:
    """A text that is shown nowhere."""

    __slots__ = ("text",)

    def __init__(self, text: str = "") -> None:
        self.text = text

    def __bool__(self) -> bool:
        return bool(self.text)

    def __str__(self) -> str:
        return ""

    def __repr__(self) -> str:
        return f"{type(self).__name__}(...)"


class RedisUrl(Hidden):
    """Where Redis is; it may have a password in it."""

    looks: ClassVar = "a URL"

    def __init__(self, text: str = "") -> None:
        if text:
            Target.of(text)
        super().__init__(text)


class Secrets(Hidden):
    """What tokens are signed with: secrets between commas, of which the first signs and all are believed."""

    looks: ClassVar = "secrets"

    def __init__(self, text: str = "") -> None:
        super().__init__(text)
        if text and any(len(each.encode()) < SECRET_BYTES for each in self.all):
            raise ValueError(f"Expected secrets of at least {SECRET_BYTES} bytes, between commas")

    @property
    def all(self) -> tuple[str, ...]:
        """Each of them."""
        return tuple(each.strip() for each in self.text.split(","))


class ApiKeys(Hidden):
    """API keys that are good, as a JSON list."""

    looks: ClassVar = "a JSON list"

    def __init__(self, text: str = "") -> None:
        super().__init__(text)
        self.all: tuple[ApiKey, ...] = read_keys(text) if text else ()
