"""A whole study in one call: record, score, and every table of paper SYS (Wang et al. 2022) for any system.

``Study`` says what is studied and runs it, with progress, on any executor, resuming what was interrupted; ``Findings``
holds the tables. May import everything of ``systems`` below it, ``executors``, ``monitors`` and ``drawing``.
"""
