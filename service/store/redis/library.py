"""Loads redis-py, and no more with it."""

from importlib import import_module

from service.tracing.absent import opentelemetry_absent

with opentelemetry_absent():
    import_module("redis.asyncio")
