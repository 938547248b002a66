"""The step that weighs failures by stratum of operation."""

from __future__ import annotations

from dataclasses import astuple, dataclass

from surefoot.adapters import Tested
from surefoot.bounds import clopper_pearson
from surefoot.bounds.stratified import WITHIN_STRATA
from surefoot.core import Artefact, Estimate, Evidence, Table
from surefoot.drawing import Interval
from surefoot.hazards.labels import Tally, stratified_posterior, stratified_risk
from surefoot.hazards.labels.strata import BINS
from surefoot.project.step import step
from surefoot.project.steps import figures, tables
from surefoot.project.steps.checks import examined, independence
from surefoot.project.steps.parameters import Level, OfClass, Undesired
from surefoot.project.steps.rows import failures, scope_of
from surefoot.project.steps.stratified_parameters import (
    RISK,
    Bins,
    LabelSheet,
    ScoredOperation,
    Shares,
    Strata,
    StrataMethod,
)
from surefoot.project.steps.stratified_rows import StratifiedRows
from surefoot.project.steps.tables import limit, one_sided

WHOLE = "operation"


@step
def stratified_bound(
    tested: Tested,
    *,
    operation: ScoredOperation = None,
    strata: Strata = RISK,
    bins: Bins = BINS,
    shares: Shares = None,
    labels: LabelSheet = None,
    method: StrataMethod = "melded",
    level: Level = 0.95,
    of: OfClass = None,
    undesired: Undesired = None,
    seed: int = 0,
) -> Evidence:
    """Bound of the failure probability in operation, from rows of which some kinds were labelled more often.

    Rows fall into strata, and each stratum weighs as much as in operation: shares are stated, or counted among the rows
    of `operation`. So doubtful inputs may be labelled more often, and the bound stays right: `labels` names the sheet
    of rows that `surefoot improve --label` chose, filled in. A stratum without a label counts as failing. The coverage
    of the bound is measured, not proved. Gives `failure probability`.
    """
    rows = StratifiedRows(tested, operation, strata, bins, shares, of, undesired, labels)
    tally = rows.tally
    scope = scope_of(tested, of=of, undesired=undesired)
    if method == "jeffreys":
        found = stratified_posterior(tally, level=level, scope=scope, seed=seed)
    else:
        found = stratified_risk(tally, level=level, scope=scope)
    lines = _lines(tally, found, level)
    checks = {WITHIN_STRATA.id: independence(tested, failures(tested, undesired))}
    return Evidence(
        (examined(found, checks),),
        tables={"strata": _table(lines, level), "answers": tables.answers(tested)},
        artefacts={"failure probability": _figure(lines, level)},
    )


@dataclass(frozen=True)
class _Line:
    """A stratum, or operation as a whole: rows and failures, and limits of the failure probability."""

    name: str
    share: float
    labelled: int
    counted: int
    failures: int
    value: float | None = None
    lower: float | None = None
    upper: float | None = None

    @property
    def interval(self) -> Interval:
        """As it is drawn: a stratum without rows that count may be anything."""
        value = float("nan") if self.value is None else self.value
        return self.name, self.lower or 0.0, value, 1.0 if self.upper is None else self.upper


def _lines(tally: Tally, whole: Estimate, level: float) -> list[_Line]:
    """Operation as a whole, then its strata."""
    counts = [column.astype(int) for column in (tally.trials, tally.counted, tally.failures)]
    labelled, counted, failed = (int(column.sum()) for column in counts)
    limits = (limit(whole, "lower", level), limit(whole, "upper", level))
    strata = zip(tally.names, tally.shares.tolist(), *(column.tolist() for column in counts), strict=True)
    first = _Line(WHOLE, 1.0, labelled, counted, failed, whole.value, *limits)
    return [first, *(_stratum(*each, level=level) for each in strata)]


def _stratum(name: str, share: float, labelled: int, counted: int, failed: int, *, level: float) -> _Line:
    if not counted:
        return _Line(name, share, labelled, counted, failed)
    found = clopper_pearson(failed, counted, level=level)
    return _Line(name, share, labelled, counted, failed, found.value, found.lower(level), found.upper(level))


def _table(lines: list[_Line], level: float) -> Table:
    bounds = (f"lower bound ({one_sided(level)})", f"upper bound ({one_sided(level)})")
    head = ("stratum", "share of operation", "labelled", "of them counted", "failures", "share", *bounds)
    return Table(head, tuple(astuple(line) for line in lines))


def _figure(lines: list[_Line], level: float) -> Artefact:
    label = f"failure probability with lower and upper bound ({one_sided(level)})"
    return figures.intervals([line.interval for line in lines], label)
