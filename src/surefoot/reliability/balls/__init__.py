"""Reliability from balls around data points: images and other inputs with many features.

Which balls are looked into, the probability of a failure inside each down to the rarest, and their weighted mean with
its bounds. Implements section 4.3 of RAM (Dong, Huang, Bharti et al., "Reliability Assessment and Safety Arguments for
Machine Learning Components in System Assurance"). May import ``bounds``, ``profile``, the other modules of
``reliability`` and what lies below them.
"""
