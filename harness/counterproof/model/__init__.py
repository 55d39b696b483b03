"""The scripted language model the kit gives an engine."""
