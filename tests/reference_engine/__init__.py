"""Tests of the reference engine."""
