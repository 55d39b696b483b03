"""The process that holds the engine, and the link to it.

``wire`` and ``engine_side`` run inside the engine's own environment: standard library alone.
``link`` is the deciding process's end, and ``crossings`` what it takes for one.
"""
