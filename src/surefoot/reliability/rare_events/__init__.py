"""Rare_Events."""
