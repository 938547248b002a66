"""The shared table of operator results, recomputed from two public implementations and by hand."""

import numpy as np
import pytest

from surefoot.opinions import Opinion, deduce, fuse, maximise_uncertainty

A = Opinion(0.7, 0.1, 0.2, 0.5)
B = Opinion(0.4, 0.3, 0.3, 0.6)
C1 = Opinion(0.1, 0.3, 0.6, 0.5)
C2 = Opinion(0.4, 0.2, 0.4, 0.5)
T = Opinion(0.8, 0.1, 0.1, 0.9)

ROWS = [
    ("and", A & B, 11 / 28, 0.37, 0.83 / 3.5, 0.3),
    ("or", A | B, 0.82, 0.06, 0.12, 0.8),
    ("not", ~B, 0.3, 0.4, 0.3, 0.4),
    ("cumulative A B", fuse(A, B), 0.29 / 0.44, 0.09 / 0.44, 0.06 / 0.44, 0.204 / 0.38),
    ("cumulative C", fuse(C1, C2, A), 28 / 43, 9 / 43, 6 / 43, 0.5),
    ("averaging", fuse(C1, C2, A, how="averaging"), 28 / 55, 9 / 55, 18 / 55, 0.5),
    ("weighted", fuse(C1, C2, A, how="weighted"), 0.5621621621621622, 0.14594594594594595, 0.2918918918918919, 0.5),
    ("consensus", fuse(C1, C2, A, how="consensus"), 0.62875, 0.18225, 0.189, 0.5),
    ("by probability", B.discounted_by(T, how="probability"), 0.356, 0.267, 0.377, 0.6),
    ("by belief", B.discounted_by(T, how="uncertainty"), 0.32, 0.24, 0.44, 0.6),
    ("deduce I", deduce(B, Opinion(0.4, 0.5, 0.1, 0.3), Opinion(0, 0.4, 0.6, 0.3)), 0.232, 0.458, 0.31, 0.3),
    ("deduce II", deduce(A, Opinion(0.9, 0.02, 0.08), Opinion(0.1, 0.7, 0.2)), 0.672, 0.088, 0.24, 0.5),
    ("maximise", maximise_uncertainty(Opinion(0.7, 0.3, 0.0)), 0.4, 0.0, 0.6, 0.5),
    ("from counts", Opinion.from_counts(8, 2), 2 / 3, 1 / 6, 1 / 6, 0.5),
    ("constraint", fuse(A, B, how="constraint"), 0.76, 0.16, 0.08, 0.82 / 1.5),
]


def test_operators_match_the_reference_table():
    for name, opinion, *expected in ROWS:
        found = [opinion.belief, opinion.disbelief, opinion.uncertainty, opinion.base_rate]
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12, err_msg=name)


def test_the_printed_digits_of_the_table_hold():
    printed = {"and": 0.392857143, "cumulative A B": 0.659090909, "cumulative C": 0.651162791}
    printed |= {"averaging": 0.509090909, "weighted": 0.562162162}
    computed = {name: opinion.belief for name, opinion, *_ in ROWS if name in printed}
    assert computed == pytest.approx(printed, abs=1e-9)
