"""The command line: to serve, and to ask the referee from a terminal or a pipe."""

from .main import main

__all__ = ["main"]
