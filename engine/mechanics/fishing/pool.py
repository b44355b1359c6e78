"""What can be laid together of one layout: each family worked out once, however often it is asked for."""

from typing import Final

from .captures import builds, groups
from .families import Family, Layout

DOUBLE: Final = 2


class Pool:
    """The groups and builds of one layout."""

    __slots__ = ("_families", "layout")

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
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
            played, value, made = key
            self._families[key] = (
                builds(self.layout, played, value, groups_made=made) if played else groups(self.layout, value)
            )
        return self._families[key]
