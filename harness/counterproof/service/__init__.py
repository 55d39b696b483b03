"""Engines behind HTTP: the kit talks to a running service, and plays its language model.

Nothing of the vendor's code is imported. What is here is another transport of what
:mod:`counterproof.worker.link` does for an engine in its worker process.
"""
