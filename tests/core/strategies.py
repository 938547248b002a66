"""Hypothesis strategies for core types, used by several test modules."""

from hypothesis import strategies as st

from surefoot.core import (
    Assumption,
    Beta,
    Bound,
    Check,
    Diagnostic,
    Empirical,
    Estimate,
    LogNormal,
    Mixture,
    Normal,
    Point,
    Provenance,
    QuantileBound,
    TabulatedBound,
)

finite = st.floats(-1e9, 1e9)
positive = st.floats(1e-6, 1e6)
names = st.text(min_size=1, max_size=12)
plain = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**12), 10**12) | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    max_leaves=6,
)
mappings = st.dictionaries(names, plain, max_size=3)
simple_distributions = st.one_of(
    st.builds(Point, finite),
    st.builds(Beta, positive, positive),
    st.builds(Normal, finite, positive),
    st.builds(LogNormal, st.floats(-20, 5), st.floats(0.01, 3)),
    st.builds(Empirical, st.lists(finite, min_size=1, max_size=5).map(tuple), st.none() | names),
)
distributions = simple_distributions | st.lists(simple_distributions, min_size=1, max_size=3).flatmap(
    lambda parts: st.builds(Mixture, st.just(tuple(parts)), st.tuples(*(st.floats(0.1, 1) for _ in parts)))
)
sides = st.sampled_from(["upper", "lower"])
levelled_kinds = st.sampled_from(["confidence", "credible", "heuristic"])
kinds = levelled_kinds | st.just("expectation")
families = st.one_of(
    st.builds(Bound, st.floats(allow_nan=False), sides, st.floats(0, 1), kinds),
    st.builds(QuantileBound, distributions, sides, levelled_kinds),
    st.builds(
        TabulatedBound, st.just((0.5, 0.9, 0.99)), st.just((1.0, 2.0, float("inf"))), st.just("upper"), levelled_kinds
    ),
)
checks = st.builds(
    Check, st.sampled_from(["supported", "contradicted", "unchecked"]), names, mappings, st.none() | finite
)
assumptions = st.builds(Assumption, names, names, st.none() | checks, st.text(max_size=5))
caveats = st.builds(Diagnostic, st.sampled_from(["approximate-coverage", "shared-data"]), names)
provenances = st.builds(
    Provenance,
    names,
    mappings,
    st.lists(names, max_size=3).map(tuple),
    st.dictionaries(names, names, max_size=2),
    st.none() | st.integers(0, 2**32),
)
estimates = st.builds(
    Estimate,
    quantity=names,
    value=finite,
    unit=st.sampled_from(["per demand", "per hour"]),
    scope=st.text(max_size=6),
    bounds=st.lists(families, max_size=3, unique_by=lambda f: (f.side, f.kind)).map(tuple),
    dist=st.none() | distributions,
    assumptions=st.lists(assumptions, max_size=3).map(tuple),
    caveats=st.lists(caveats, max_size=2).map(tuple),
    details=mappings,
    provenance=provenances,
)
