"""The recorded baseline of the reference engine, over the default world (DEF-2)."""
