"""Generates what the Python client has of protos/ and of itself, or checks that it is what they say.

From the messages and the structs that the service pairs with them: `models.py` (a struct for each message), `_codec.py`
(between the two), `_wire.py` (the protos, compiled), `_async/games.py` (the calls that differ by game). From `_async`:
`_sync`, the same without waiting.
"""
