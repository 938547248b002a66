"""The currency everything else trades in, and nothing that computes it.

Here live estimates and evidence, the distributions and bounds they carry, assumptions, provenance,
targets and verdicts, diagnostics, errors and protocols. May import numpy and ``scipy.special``, and
no other package of Surefoot.
"""

from surefoot.core import validate
from surefoot.core.assumption import Answer, Assumption, Check, union
from surefoot.core.bound import KINDS, Bound, BoundFamily, Kind, QuantileBound, Side, TabulatedBound, certain
from surefoot.core.canonical import FrozenDict, array_digest, canonical_json, digest, function_identity
from surefoot.core.counts import CountedRate, CountedShare
from surefoot.core.diagnostics import CODES, Diagnostic, DiagnosticsError
from surefoot.core.distributions import (
    Beta,
    Distribution,
    Empirical,
    Gamma,
    Histogram,
    LogNormal,
    Mixture,
    Normal,
    Point,
    Uniform,
)
from surefoot.core.errors import (
    InvalidInput,
    LevelUnavailable,
    MissingData,
    MissingExtra,
    MixedKinds,
    SurefootError,
    Undefined,
)
from surefoot.core.estimate import Estimate, Provenance, Summary
from surefoot.core.evidence import Artefact, Detector, Evidence, Executor, Model, Table
from surefoot.core.monotone_maps import (
    AtLeastOnce,
    EventWithin,
    Mapped,
    MappedBound,
    MonotoneMap,
    RateOf,
    Scaled,
    Shifted,
    SquareRoot,
    bound_after,
    distribution_after,
)
from surefoot.core.propagation import joint_draws, propagate
from surefoot.core.registry import Registry, Unloadable
from surefoot.core.target import Target, Verdict

__all__ = [
    "CODES",
    "KINDS",
    "Answer",
    "Artefact",
    "Assumption",
    "AtLeastOnce",
    "Beta",
    "Bound",
    "BoundFamily",
    "Check",
    "CountedRate",
    "CountedShare",
    "Detector",
    "Diagnostic",
    "DiagnosticsError",
    "Distribution",
    "Empirical",
    "Estimate",
    "EventWithin",
    "Evidence",
    "Executor",
    "FrozenDict",
    "Gamma",
    "Histogram",
    "InvalidInput",
    "Kind",
    "LevelUnavailable",
    "LogNormal",
    "Mapped",
    "MappedBound",
    "MissingData",
    "MissingExtra",
    "MixedKinds",
    "Mixture",
    "Model",
    "MonotoneMap",
    "Normal",
    "Point",
    "Provenance",
    "QuantileBound",
    "RateOf",
    "Registry",
    "Scaled",
    "Shifted",
    "Side",
    "SquareRoot",
    "Summary",
    "SurefootError",
    "Table",
    "TabulatedBound",
    "Target",
    "Undefined",
    "Uniform",
    "Unloadable",
    "Verdict",
    "array_digest",
    "bound_after",
    "canonical_json",
    "certain",
    "digest",
    "distribution_after",
    "function_identity",
    "joint_draws",
    "propagate",
    "union",
    "validate",
]
