"""Confidence in a case: how each node stands, how surely all targets hold together, which doubts are left.

Miss probabilities and stated doubts are added (Bonferroni 1936; Adams 1975), raw counts of one quantity pooled; doubts
are ranked by what they decide (Goodenough, Weinstock and Klein 2013), and operation updates claims. Opinions by
subjective logic (Jøsang 2016; paper SL) are a view on request. May import ``core``, ``bounds``, ``opinions`` and the
model of a case.
"""
