"""The engine behind HTTP: ``POST /v1/ask`` and ``POST /v1/ask/stream``."""
