"""A client of Scheids, the referee for card games: over gRPC or HTTP, with and without waiting.

`Scheids` and `AsyncScheids` have the same calls; `scheids_client.models` has what they take and give,
`scheids_client.errors` what they raise. `scheids_client.bots` plays a seat. `scheids_client.local` has the engine in
this process instead of a service, where the package was installed as ``scheids-client[local]``.
"""

from . import bots, errors, models
from ._async.client import AsyncScheids
from ._async.table import AsyncCreatedTable, AsyncTable, AsyncWatch
from ._json import from_json, state_from_json, to_json
from ._results import Result
from ._retrying import Retry
from ._sync.client import Scheids
from ._sync.table import CreatedTable, Table, Watch
from ._tls import Tls
from .errors import IllegalMove, ScheidsError, StaleVersion

__all__ = [
    "AsyncCreatedTable",
    "AsyncScheids",
    "AsyncTable",
    "AsyncWatch",
    "CreatedTable",
    "IllegalMove",
    "Result",
    "Retry",
    "Scheids",
    "ScheidsError",
    "StaleVersion",
    "Table",
    "Tls",
    "Watch",
    "bots",
    "errors",
    "from_json",
    "models",
    "state_from_json",
    "to_json",
]
