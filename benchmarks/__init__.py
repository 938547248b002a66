"""Figures of speed, each as a ratio to a peer measured in the same run."""
