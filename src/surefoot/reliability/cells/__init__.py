"""Reliability from cells of the input domain (RAM, section 4.2), for inputs of few features."""
