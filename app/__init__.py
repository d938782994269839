"""Wurf: an HTTP service that resolves the rolls of tabletop games."""

__version__ = "0.1.0"
