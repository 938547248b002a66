"""``check_detector``: whether a detector keeps the contract; one that passes is complete."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Literal, get_args

from numpy.typing import ArrayLike

from surefoot.core import InvalidInput, SurefootError, Table, validate
from surefoot.core.evidence import Detector
from surefoot.documents import counted, listed
from surefoot.testing.detector_checks import CHECKS
from surefoot.testing.detector_checks.fixtures import WHERE, Check, Failed, NotApplicable, Subject, material, quoted

Outcome = Literal["passed", "failed", "skipped"]
WARNINGS = "gives no warnings about numbers"


class ConformanceError(SurefootError, AssertionError):
    """Something is not what its kind is relied on for; of a detector, ``found`` is the whole ``DetectorReport``.

    See Also
    --------
    check_detector

    """

    def __str__(self) -> str:
        more = self.found.lines("failed") if isinstance(self.found, DetectorReport) else []
        return "\n".join([f"{self.where}: {self.problem}", *more])


@dataclass(frozen=True)
class DetectorCheck:
    """What one check found; ``detail`` says why it failed or was skipped.

    See Also
    --------
    DetectorReport

    """

    name: str
    outcome: Outcome
    detail: str = ""


@dataclass(frozen=True)
class DetectorReport:
    """All checks of one detector.

    See Also
    --------
    check_detector

    """

    detector: str
    checks: tuple[DetectorCheck, ...]

    def of(self, outcome: Outcome) -> tuple[DetectorCheck, ...]:
        """The checks with one outcome."""
        return tuple(check for check in self.checks if check.outcome == outcome)

    @property
    def passed(self) -> bool:
        """Whether no check failed."""
        return not self.of("failed")

    def table(self) -> Table:
        """One row a check."""
        return Table(("check", "outcome", "detail"), tuple((c.name, c.outcome, c.detail) for c in self.checks))

    def __str__(self) -> str:
        head = ", ".join(f"{len(self.of(outcome))} {outcome}" for outcome in get_args(Outcome))
        return "\n".join([f"{self.detector}: {head}", *self.lines("failed", "skipped", "passed")])

    def lines(self, *outcomes: Outcome) -> list[str]:
        """One line of text a check, for those with these outcomes."""
        found = [check for outcome in outcomes for check in self.of(outcome)]
        return [f"  {c.outcome:<8}{c.name}{f': {c.detail}' if c.detail else ''}" for c in found]


def check_detector(
    make: Callable[[], Any] | Any,
    *,
    features: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    predictions: ArrayLike | None = None,
    strange: ArrayLike | None = None,
    objects: Mapping[str, Any] | None = None,
    seed: int = 0,
) -> DetectorReport:
    """Put a detector through every check, and raise with all that failed.

    Rows are made to suit what the detector ``takes``: features of three classes and others far away, outputs with a
    clear class and flat ones, images and dark ones. A detector that takes ``inputs`` of a model needs features. Checks
    of what it does not have, such as files, are reported as skipped.

    Parameters
    ----------
    make
        A function that returns a fresh detector, such as its class, or a detector that is not fitted yet. Any object
        with ``fit(features, labels)`` and ``decision_function(features, predictions)`` will do.
    features, labels, predictions
        Stand for the usual rows where they are given, with their labels and the predictions of the model.
    strange
        Rows that must score higher (area under the ROC curve of at least 0.9).
    objects
        What its files do not hold, such as a ``model``.
    seed
        Of everything that is drawn.

    Returns
    -------
    DetectorReport
        What each check found.

    Raises
    ------
    ConformanceError
        Where a check failed.

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.testing.check_detector(sf.monitors.Mahalanobis).passed
    True

    """
    factory = _factory(make)
    first = factory()
    if isinstance(first, type) or not isinstance(first, Detector):
        raise InvalidInput(
            "a detector has fit and decision_function",
            where=WHERE,
            found=type(first).__name__,
            remedy="Give a detector, or a function that makes one.",
        )
    takes = str(getattr(first, "takes", "features"))
    rows = material(takes, features, labels, predictions, strange, validate.seed(seed, where=WHERE))
    subject = Subject(factory, rows, takes, getattr(first, "by_class", None), dict(objects or {}))
    report = DetectorReport(_name(first), _outcomes(subject))
    if not report.passed:
        failed = counted(len(report.of("failed")), "check")
        raise ConformanceError(f"{report.detector} fails {failed}", where=WHERE, found=report)
    return report


def _factory(make: Any) -> Callable[[], Any]:
    """A way to get fresh detectors; one that was fitted cannot be made fresh."""
    if isinstance(make, type) or not hasattr(make, "decision_function"):
        if callable(make):
            return make
        raise InvalidInput("needs a detector, or a function that makes one", where=WHERE, found=repr(make))
    if getattr(make, "fitted", False):
        raise InvalidInput(
            "the detector is fitted already", where=WHERE, found=_name(make), remedy="Give one that is fresh."
        )
    return lambda: deepcopy(make)


def _outcomes(subject: Subject) -> tuple[DetectorCheck, ...]:
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        found = [_outcome(name, check, subject) for name, check in CHECKS.items()]
    said = sorted({f"{w.message}" for w in seen if issubclass(w.category, RuntimeWarning)})
    return (*found, DetectorCheck(WARNINGS, "failed" if said else "passed", listed(said)))


def _outcome(name: str, check: Check, subject: Subject) -> DetectorCheck:
    try:
        check(subject)
    except NotApplicable as why:
        return DetectorCheck(name, "skipped", str(why))
    except Failed as what:
        return DetectorCheck(name, "failed", str(what))
    except Exception as error:
        return DetectorCheck(name, "failed", f"raises {quoted(error)}")
    return DetectorCheck(name, "passed")


def _name(detector: Any) -> str:
    shown = repr(detector)
    return type(detector).__name__ if shown.startswith("<") or "\n" in shown else shown
