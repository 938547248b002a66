"""Random quantities."""

from hypothesis import strategies as st

from surefoot import faulttree as q
from surefoot.core import Beta, Estimate, InvalidInput

ONE = (
    *("abs", "acos", "asin", "atan", "ceil", "cos", "cosh", "exp", "floor", "log", "log10"),
    *("neg", "not", "sin", "sinh", "sqrt", "tan", "tanh"),
)
BINARY = (
    *("add", "and", "df", "div", "eq", "geq", "gt", "leq", "lt", "max", "mean", "min", "mod"),
    *("mul", "or", "pow", "sub"),
)
positive = st.floats(1e-6, 1e3)
shares = st.floats(0.0, 1.0)
leaves = st.one_of(
    st.builds(lambda f, n: q.Counts(f, f + n), st.integers(0, 50), st.integers(0, 50)),
    st.builds(lambda v: q.Measured(Estimate.known("p", v, source="data sheet")), shares),
    st.builds(lambda a: q.Distributed(Beta(a, 2.0)), positive),
    st.builds(q.LogNormal, positive, st.floats(1.1, 30), st.floats(0.6, 0.99)),
    st.builds(q.LogNormalMuSigma, st.floats(-9, 0), st.floats(0.1, 2)),
    st.builds(q.NormalDeviate, shares, positive),
    st.builds(lambda low, width: q.UniformDeviate(low, low + width), shares, positive),
    st.builds(q.BetaDeviate, positive, positive),
    st.builds(q.GammaDeviate, positive, positive),
    st.builds(lambda *weights: q.Histogram((0.0, 0.2, 1.0), weights), positive, positive),
)
named = st.sampled_from([q.Parameter("a"), q.Parameter("long name"), q.MissionTime()])
constants = st.builds(q.Fixed, st.floats(-10, 10) | st.sampled_from([0.0, 1.0, 1e-300]))


def refuses(make):
    """Whether what is made is refused."""
    try:
        make()
    except InvalidInput:
        return True
    return False


def _composed(inner):
    """Expressions of uncertain or named arguments, which no check of constants can refuse."""
    open_ = inner.filter(lambda quantity: quantity.constant is None)
    return st.one_of(
        st.builds(q.Exponential, open_, open_),
        st.builds(q.GLM, open_, open_, open_, open_),
        st.builds(q.Weibull, open_, open_, open_, open_),
        st.builds(q.LogNormal, open_, open_, open_),
        st.builds(q.PeriodicTest.of, open_, open_, open_, open_, average=st.booleans()),
        st.builds(q.PeriodicTest.of, *[open_] * 5),
        st.builds(q.PeriodicTest.of, *[open_] * 11),
        st.builds(lambda name, *values: q.Operation(name, values), st.sampled_from(ONE), inner),
        st.builds(lambda name, *values: q.Operation(name, values), st.sampled_from(BINARY), inner, inner),
        st.builds(lambda *values: q.Operation("switch", values), *[inner] * 5),
        st.builds(lambda *values: q.Operation("ite", values), *[inner] * 3),
    )


quantities = st.recursive(leaves | named | constants, _composed, max_leaves=6)
