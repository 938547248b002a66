"""Kernel density estimates: the estimator, its bandwidth and kernel, and its mass in boxes and grids."""
