"""Confidence in a case: how far each node can be trusted, by four ways to reckon, and what operation says of claims.

Opinions by subjective logic (Jøsang 2016; paper SL), beside them Dempster and Shafer, a Bayesian network and eliminated
doubts; field feedback that updates claims. Estimates become opinions on "meets the target" (Dempster 1966). May import
``core``, ``bounds``, ``opinions`` and the model of a case.
"""
