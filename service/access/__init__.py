"""Who may call, how often, and over what: API keys, limits of their calls, certificates.

Nothing of it is on a request's path where no keys are configured.
"""

from .buckets import Bucket, Limit
from .gate import UNLIMITED, Admission, Gate, TableLimit
from .keys import HEADER, ApiKey, BadKeys, KeyLimits, digest_of, new_key, read_keys

__all__ = [
    "HEADER",
    "UNLIMITED",
    "Admission",
    "ApiKey",
    "BadKeys",
    "Bucket",
    "Gate",
    "KeyLimits",
    "Limit",
    "TableLimit",
    "digest_of",
    "new_key",
    "read_keys",
]
