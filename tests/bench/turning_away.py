"""The service as it is, but that it turns everybody away; what that costs can be measured so."""

from service.cli.main import main
from service.shedding import Waits


def always(self: Waits, waited: float) -> bool:
    """Every wait is too long."""
    del self, waited
    return True


if __name__ == "__main__":
    Waits.is_too_long = always  # type: ignore[method-assign]
    main(["serve"])
