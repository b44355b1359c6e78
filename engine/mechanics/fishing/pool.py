"""What can be laid together of one layout: each family worked out once, however often it is asked for."""

from collections.abc import Callable
from typing import Final

from .capturing import MOST_IN_COMMON, any_builds, builds, groups
from .families import Family, Layout

DOUBLE: Final = 2


class Pool:
    """The groups and builds of one layout."""

    __slots__ = ("_any", "_families", "layout")

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self._any: dict[int, Callable[[int], Family]] = {}
        self._families: dict[tuple[int, int, int], Family] = {}

    def groups(self, total: int) -> Family:
        """The sets that total exactly `total`."""
        return self._once((0, total, 1))

    def builds(self, played: int, value: int, groups_made: int) -> Family:
        """The cards to be laid together with one of value `played` into two groups or more, 0 for any number."""
        return (
            self.groups(value)
            if played == value and groups_made == DOUBLE
            else self._once((played, value, groups_made))
        )

    def _once(self, key: tuple[int, int, int]) -> Family:
        if key not in self._families:
            self._families[key] = self._made(*key)
        return self._families[key]

    def _made(self, played: int, value: int, groups_made: int) -> Family:
        if not played:
            return groups(self.layout, value)
        if groups_made or value > MOST_IN_COMMON:
            return builds(self.layout, played, value, groups_made=groups_made)
        if value not in self._any:
            self._any[value] = any_builds(self.layout, value)
        return self._any[value](played)
