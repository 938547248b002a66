"""The version of the code, part of every key."""

__version__ = "0.1.0"
