"""Quality metrics of machine-learning models as binomial opinions.

Each metric is turned into positive evidence r and negative evidence s, so that its plain value is
r / (r + s), and then into an opinion by Eqns. (6)-(8) of Herd & Burton, "Can you trust your ML metrics?",
SAC 2024 (doi 10.1145/3605098.3635966). Counts may be fractions, such as effective sample sizes, and arrays.
``prior_weight=0`` says that the evidence is complete: uncertainty is then 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike

from surefoot.core import validate
from surefoot.core.errors import InvalidInput, Undefined
from surefoot.core.validate import FloatArray
from surefoot.opinions import checks
from surefoot.opinions.opinion import DEFAULT_PRIOR_WEIGHT, Opinion

BASE_RATE = 0.5
ROW_SUM_TOLERANCE = 1e-4


def recall(
    tp: ArrayLike, fn: ArrayLike, *, prior_weight: float = DEFAULT_PRIOR_WEIGHT, base_rate: float = BASE_RATE
) -> Opinion:
    """Share of positives that are found: evidence TP against FN.

    Parameters
    ----------
    tp, fn
        Positives that were found, and that were missed.
    prior_weight
        What the prior counts, in observations; 0 says that the evidence is complete.
    base_rate
        Mean of the prior.

    Returns
    -------
    Opinion
        Its probability is the recall with the prior.

    References
    ----------
    Herd and Burton (2024), Eqns. (15) to (17).

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.opinions.recall(470, 10).probability.round(4).item()
    0.9772

    """
    return _from_evidence("recall", prior_weight, base_rate, tp=tp, fn=fn)


def precision(
    tp: ArrayLike, fp: ArrayLike, *, prior_weight: float = DEFAULT_PRIOR_WEIGHT, base_rate: float = BASE_RATE
) -> Opinion:
    """Share of alarms that are right: evidence TP against FP.

    Parameters
    ----------
    tp, fp
        Alarms that were right, and that were wrong.
    prior_weight
        What the prior counts, in observations; 0 says that the evidence is complete.
    base_rate
        Mean of the prior.

    Returns
    -------
    Opinion
        Its probability is the precision with the prior.

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.opinions.precision(470, 10).probability.round(4).item()
    0.9772

    """
    return _from_evidence("precision", prior_weight, base_rate, tp=tp, fp=fp)


def specificity(
    tn: ArrayLike, fp: ArrayLike, *, prior_weight: float = DEFAULT_PRIOR_WEIGHT, base_rate: float = BASE_RATE
) -> Opinion:
    """Share of negatives that are left alone: evidence TN against FP.

    Parameters
    ----------
    tn, fp
        Negatives that were left alone, and that were not.
    prior_weight
        What the prior counts, in observations; 0 says that the evidence is complete.
    base_rate
        Mean of the prior.

    Returns
    -------
    Opinion
        Its probability is the specificity with the prior.

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.opinions.specificity(470, 10).probability.round(4).item()
    0.9772

    """
    return _from_evidence("specificity", prior_weight, base_rate, tn=tn, fp=fp)


def accuracy(
    correct: ArrayLike, wrong: ArrayLike, *, prior_weight: float = DEFAULT_PRIOR_WEIGHT, base_rate: float = BASE_RATE
) -> Opinion:
    """Share of right answers: evidence TP + TN (``correct``) against FP + FN (``wrong``).

    Parameters
    ----------
    correct, wrong
        How many answers were right, and wrong.
    prior_weight
        What the prior counts, in observations; 0 says that the evidence is complete.
    base_rate
        Mean of the prior.

    Returns
    -------
    Opinion
        Its probability is the accuracy with the prior.

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.opinions.accuracy(470, 10).probability.round(4).item()
    0.9772

    """
    return _from_evidence("accuracy", prior_weight, base_rate, correct=correct, wrong=wrong)


def f1(
    tp: ArrayLike,
    fp: ArrayLike,
    fn: ArrayLike,
    *,
    prior_weight: float = DEFAULT_PRIOR_WEIGHT,
    base_rate: float = BASE_RATE,
) -> Opinion:
    """F1 = TP / (TP + (FP + FN) / 2): evidence TP against (FP + FN) / 2.

    This is the only split of whole TP counts that gives the F1 score back as r / (r + s); a false alarm and a miss
    weigh half an observation each. F1 is no proportion of independent trials. Its posterior (Goutte & Gaussier,
    ECIR 2005) is narrower, by up to a factor of sqrt(2) in standard deviation when errors are few, because the halved
    count of errors is treated as a count. The opinion is on the cautious side.

    Parameters
    ----------
    tp, fp, fn
        Positives that were found, false alarms, and misses.
    prior_weight
        What the prior counts, in observations; 0 says that the evidence is complete.
    base_rate
        Mean of the prior.

    Returns
    -------
    Opinion
        Its probability is F1 with the prior.

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.opinions.f1(90, 10, 10, prior_weight=0).probability.item()
    0.9

    """
    found, alarms, misses = _counts("f1", tp=tp, fp=fp, fn=fn)
    return Opinion.from_counts(found, (alarms + misses) / 2, prior_weight=prior_weight, base_rate=base_rate)


def coverage(
    covered: ArrayLike, total: ArrayLike, *, prior_weight: float = DEFAULT_PRIOR_WEIGHT, base_rate: float = BASE_RATE
) -> Opinion:
    """Share of the required cases that a data set contains.

    Whether a prior weight belongs here is a choice: with ``prior_weight=0`` the list of cases counts as
    complete and the opinion has no uncertainty.

    Parameters
    ----------
    covered, total
        Distinct cases that are contained, and that are required.
    prior_weight
        What the prior counts, in observations; 0 says that the evidence is complete.
    base_rate
        Mean of the prior.

    Returns
    -------
    Opinion
        That the data set covers the cases.

    References
    ----------
    Herd and Burton (2024), Eqns. (22) to (24), d = 1 - b - u.

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.opinions.coverage(3, 4, prior_weight=0)
    Opinion(belief=0.75, disbelief=0.25, uncertainty=0, base_rate=0.5)

    """
    present, required = _counts("coverage", covered=covered, total=total)
    missing = np.asarray(required - present)
    if (missing < 0).any():
        raise InvalidInput(
            "covered must not exceed total",
            where="coverage",
            found=checks.first_place(missing < 0, f"an excess of {-missing[missing < 0][0]:g}"),
            remedy="Count distinct cases, each once.",
        )
    return Opinion.from_counts(present, missing, prior_weight=prior_weight, base_rate=base_rate)


def score(
    value: ArrayLike,
    observations: ArrayLike,
    *,
    prior_weight: float = DEFAULT_PRIOR_WEIGHT,
    base_rate: float = BASE_RATE,
) -> Opinion:
    """A score in [0, 1], 1 being best, that rests on a number of observations.

    The evidence is ``value * observations`` against the rest, which turns a mean of values in [0, 1] (robustness,
    interpretability, data quality) into an opinion as ``brier`` does with mean squared errors.

    Parameters
    ----------
    value
        The score.
    observations
        On how many it rests.
    prior_weight
        What the prior counts, in observations; 0 says that the evidence is complete.
    base_rate
        Mean of the prior.

    Returns
    -------
    Opinion
        Its probability is the score with the prior.

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.opinions.score(0.75, 6)
    Opinion(belief=0.5625, disbelief=0.1875, uncertainty=0.25, base_rate=0.5)

    """
    values = checks.unit_interval(value, where="score", name="value")
    counts = checks.counts(observations, where="score", name="observations")
    checks.common_shape("score", value=values, observations=counts)
    return Opinion.from_counts(values * counts, (1 - values) * counts, prior_weight=prior_weight, base_rate=base_rate)


def brier(
    forecast: ArrayLike, outcome: ArrayLike, *, prior_weight: float = DEFAULT_PRIOR_WEIGHT, base_rate: float = BASE_RATE
) -> Opinion:
    """Opinion that forecasts are good, from the sum of squared errors.

    A row's squared error of a table is halved, because Brier's (1950) sum over classes reaches 2 and a disbelief must
    not exceed 1.

    Parameters
    ----------
    forecast
        Probability of the positive class; or a table with one row of class probabilities a sample.
    outcome
        0 or 1; or the class numbers.
    prior_weight
        What the prior counts, in observations; 0 says that the evidence is complete.
    base_rate
        Mean of the prior.

    Returns
    -------
    Opinion
        Its disbelief is the mean squared error with the prior.

    References
    ----------
    Herd and Burton (2024), Eqns. (18) to (21).

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.opinions.brier([0.5, 0.5], [0, 1], prior_weight=0)
    Opinion(belief=0.75, disbelief=0.25, uncertainty=0, base_rate=0.5)

    """
    errors = _squared_errors(forecast, outcome)
    return score(1 - errors.mean(), errors.size, prior_weight=prior_weight, base_rate=base_rate)


def expected_calibration_error(
    confidence: ArrayLike,
    correct: ArrayLike,
    *,
    bins: int = 15,
    prior_weight: float = DEFAULT_PRIOR_WEIGHT,
    base_rate: float = BASE_RATE,
) -> Opinion:
    """Opinion that confidence equals the share of right answers, from the binned calibration error.

    ECE = sum over bins of (n_k / N) |accuracy_k - confidence_k|. As with the Brier score the sum is broken up: negative
    evidence N * ECE, positive evidence N * (1 - ECE). Unlike the Brier score it ignores how sharp the forecasts are.
    Binned ECE is biased upwards on small samples, so the opinion is cautious.

    Parameters
    ----------
    confidence
        Of each answer, in [0, 1].
    correct
        Whether each answer was right.
    bins
        Number of bins of equal width.
    prior_weight
        What the prior counts, in observations; 0 says that the evidence is complete.
    base_rate
        Mean of the prior.

    Returns
    -------
    Opinion
        Its disbelief is the calibration error with the prior.

    References
    ----------
    Guo et al. (2017), ICML, Eqn. (3).

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.opinions.expected_calibration_error([0.75] * 4, [1, 1, 0, 0], prior_weight=0)
    Opinion(belief=0.75, disbelief=0.25, uncertainty=0, base_rate=0.5)

    """
    where = "expected_calibration_error"
    confidences = validate.unit_vector(confidence, where=where, name="confidence")
    hits = _zero_or_one(correct, where=where, name="correct")
    validate.same_length(where, confidence=confidences, correct=hits)
    count = validate.count(bins, where=where, name="bins", at_least=1)
    inner_edges = np.linspace(0, 1, count + 1)[1:-1]
    gaps = np.bincount(np.searchsorted(inner_edges, confidences), weights=hits - confidences, minlength=count)
    error = np.abs(gaps).sum() / confidences.size
    return score(1 - error, confidences.size, prior_weight=prior_weight, base_rate=base_rate)


def _from_evidence(where: str, prior_weight: float, base_rate: float, **evidence: ArrayLike) -> Opinion:
    positive, negative = _counts(where, **evidence)
    return Opinion.from_counts(positive, negative, prior_weight=prior_weight, base_rate=base_rate)


def _counts(where: str, **values: ArrayLike) -> list[FloatArray]:
    counts = {name: checks.counts(value, where=where, name=name) for name, value in values.items()}
    checks.common_shape(where, **counts)
    return list(counts.values())


def _squared_errors(forecast: ArrayLike, outcome: ArrayLike) -> FloatArray:
    forecasts = checks.unit_interval(forecast, where="brier", name="forecast")
    if forecasts.ndim != 2:
        validate.vector(forecasts, where="brier", name="forecast")
        happened = _zero_or_one(outcome, where="brier", name="outcome")
        validate.same_length("brier", forecast=forecasts, outcome=happened)
        return (forecasts - happened) ** 2
    classes = validate.vector(outcome, where="brier", name="outcome")
    validate.same_length("brier", forecast=forecasts, outcome=classes)
    _check_classes(forecasts, classes)
    happened = np.eye(forecasts.shape[1])[classes.astype(int)]
    return ((forecasts - happened) ** 2).sum(axis=1) / 2


def _check_classes(forecasts: FloatArray, classes: FloatArray) -> None:
    sums = forecasts.sum(axis=1)
    if (np.abs(sums - 1) > ROW_SUM_TOLERANCE).any():
        raise InvalidInput(
            "each row of forecast must sum to 1",
            where="brier",
            found=f"{sums[np.argmax(np.abs(sums - 1))]:g}",
            remedy="Apply softmax to scores first.",
        )
    if not np.isin(classes, np.arange(forecasts.shape[1])).all():
        raise InvalidInput(
            f"outcome must hold class numbers 0 to {forecasts.shape[1] - 1}",
            where="brier",
            found=f"{classes.min():g} to {classes.max():g}",
        )


def _zero_or_one(values: ArrayLike, *, where: str, name: str) -> FloatArray:
    array = validate.vector(values, where=where, name=name)
    if not np.isin(array, (0.0, 1.0)).all():
        raise InvalidInput(f"{name} must be 0 or 1", where=where, found=f"{array[~np.isin(array, (0.0, 1.0))][0]:g}")
    return array


# Verbal judgements as opinions, so that qualitative evidence enters too.
#
# Nine likelihoods and five confidences name the cells of the opinion triangle (Jøsang 2016, section 3.7.2, qualitative
# opinion representation). The book leaves the limits of the cells to the application; the numbers here are evenly
# spaced: a likelihood is a projected probability in steps of 1/8, a confidence 1 - u in steps of 1/4. They are a
# convention to agree on before asking experts, not a measurement.

LIKELIHOODS: Mapping[str, float] = MappingProxyType(
    {
        "absolutely not": 0.0,
        "very unlikely": 0.125,
        "unlikely": 0.25,
        "somewhat unlikely": 0.375,
        "chances about even": 0.5,
        "somewhat likely": 0.625,
        "likely": 0.75,
        "very likely": 0.875,
        "absolutely": 1.0,
    }
)
CONFIDENCES: Mapping[str, float] = MappingProxyType(
    {
        "no confidence": 1.0,
        "low confidence": 0.75,
        "some confidence": 0.5,
        "high confidence": 0.25,
        "total confidence": 0.0,
    }
)
ROUNDING = 1e-12


def judgement(likelihood: str, confidence: str, *, base_rate: float = 0.5) -> Opinion:
    """The opinion that a verbal judgement stands for.

    Belief is P - a u and disbelief 1 - P - (1 - a) u, for projected probability P, base rate a and uncertainty u. An
    extreme likelihood held without confidence has no opinion: someone who knows nothing expects the base rate.

    Parameters
    ----------
    likelihood
        One of ``LIKELIHOODS``.
    confidence
        One of ``CONFIDENCES``.
    base_rate
        Probability without any evidence.

    Returns
    -------
    Opinion
        With the probability and the uncertainty that the words stand for.

    Raises
    ------
    Undefined
        Where the two cannot be held together at this base rate.

    References
    ----------
    Jøsang (2016), section 3.7.2.

    Examples
    --------
    >>> opinion = judgement("likely", "high confidence")
    >>> float(opinion.belief), float(opinion.disbelief), float(opinion.uncertainty)
    (0.625, 0.125, 0.25)

    """
    validate.choice(likelihood, LIKELIHOODS, where="judgement", name="likelihood")
    validate.choice(confidence, CONFIDENCES, where="judgement", name="confidence")
    rate = validate.probability(base_rate, where="judgement", name="base_rate")
    if not _exists(likelihood, confidence, rate):
        raise Undefined(
            f"{likelihood!r} cannot be held with {confidence!r} at base rate {rate:g}",
            where="judgement",
            remedy=f"Choose {_least_confidence(likelihood, rate)!r} or more, or a base rate nearer to the likelihood.",
        )
    projected, uncertainty = LIKELIHOODS[likelihood], CONFIDENCES[confidence]
    belief = min(max(projected - rate * uncertainty, 0.0), 1 - uncertainty)
    return Opinion(belief, 1 - uncertainty - belief, uncertainty, rate)


def judgement_table(*, base_rate: float = 0.5) -> dict[tuple[str, str], Opinion]:
    """All judgements that exist at a base rate, by (likelihood, confidence): the table to hand to experts.

    Parameters
    ----------
    base_rate
        Probability without any evidence.

    Returns
    -------
    dict
        Opinions by (likelihood, confidence).

    Examples
    --------
    >>> import surefoot as sf
    >>> ("absolutely", "no confidence") in sf.opinions.judgement_table()
    False

    """
    rate = validate.probability(base_rate, where="judgement_table", name="base_rate")
    return {
        (likelihood, confidence): judgement(likelihood, confidence, base_rate=rate)
        for likelihood in LIKELIHOODS
        for confidence in CONFIDENCES
        if _exists(likelihood, confidence, rate)
    }


def _exists(likelihood: str, confidence: str, base_rate: float) -> bool:
    projected, uncertainty = LIKELIHOODS[likelihood], CONFIDENCES[confidence]
    lowest = base_rate * uncertainty
    return lowest - ROUNDING <= projected <= lowest + 1 - uncertainty + ROUNDING


def _least_confidence(likelihood: str, base_rate: float) -> str:
    return next(word for word in CONFIDENCES if _exists(likelihood, word, base_rate))
