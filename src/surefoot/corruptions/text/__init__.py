"""Corruptions of texts: digits, characters, spelling, and reading errors.

Each is a function ``f(texts, severity, rngs)`` of a list of texts, one generator a text; ``items`` checks what comes in
and gives it back as it came. Parameters of paper SYS (Wang et al. 2022, Table 1) at severities 1, 3 and 5. May import
``core`` and ``datasets``.
"""
