"""Reliability from balls around data points (RAM, section 4.3), for images and other inputs with many features."""
