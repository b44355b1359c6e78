"""Modules that the Python of the peers runs, which has what they import: no tests to be collected here."""

collect_ignore_glob = ["draw.py", "walk_*.py"]
