"""Enumerations whose members are found as fast as any attribute: before Python 3.12 each is a property of its class."""

from enum import Enum
from typing import TypeVar

E = TypeVar("E", bound=Enum)


def with_plain_members(enum: type[E]) -> type[E]:
    """The enumeration, its members plain attributes of it: a decorator.

    >>> from enum import StrEnum
    >>> @with_plain_members
    ... class Side(StrEnum):
    ...     EVEN = "even"
    >>> Side.EVEN, vars(Side)["EVEN"] is Side("even")
    (<Side.EVEN: 'even'>, True)
    """
    for name, member in enum.__members__.items():
        type.__setattr__(enum, name, member)
    return enum
