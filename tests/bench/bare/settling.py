"""How a bare server's process is settled: its memory as the service's, but its threads' turns as Python has them.

The service has threads take shorter turns, for the sake of short calls beside long ones; a server of many threads is
slower for it.
"""

import gc

from service.app import GC_THRESHOLDS


def settle() -> None:
    """What has been made so far stays, and the collector looks seldom."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*GC_THRESHOLDS)
