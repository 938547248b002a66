"""Recordings: everything that went through a system, in Parquet files of some items each, that a study resumes from.

``recording`` runs a system on some items in a condition and writes what every module gave, its features and its
repeated passes (``passes``); ``scoring`` reads that and writes errors and scores; ``columns``, ``plain`` and ``arrays``
turn values into columns and back; ``store`` knows files by the key of what decides their content; ``stored`` reads
columns for tables. Algorithm 1 and Eqns. (5), (6) of paper SYS (Wang et al. 2022). May import ``core``, ``metrics``,
``monitors``, ``systems.graph``, ``systems.data`` and ``systems.tables``.
"""
