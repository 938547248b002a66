"""Detectors: arrays in, a score for each row out, higher = farther out of distribution (as in PyOD).

A detector says what it learns (arrays) and how it scores; ``base`` brings checks of arguments, the numbering of
classes, and saving and loading without pickle. Implements the detectors of papers MON (Guerin et al. 2022, section
III) and SYS (Wang et al. 2022, sections 2.1 and 3.2), and those they compare with. May import ``core``, ``metrics``,
``profile``, ``adapters`` and ``monitors.features``.
"""
