"""Tests by the front door of each package."""
