"""Steps for what documents tell: counts with exact bounds, and documents without numbers, such as reviews."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from surefoot.adapters import Tested
from surefoot.bounds import clopper_pearson, garwood, serial_dependence, stratified
from surefoot.bounds.binomial import CONSTANT_RATE, EVENT_RATE
from surefoot.bounds.statement import FAILURE_PROBABILITY
from surefoot.case.wording import AS_DOCUMENTED
from surefoot.core import Assumption, Check, Diagnostic, Estimate, Evidence, InvalidInput, Table, propagate, union
from surefoot.core.estimate import PER_DEMAND
from surefoot.core.propagation import Proven
from surefoot.drawing import Interval
from surefoot.project.definition import Document, DocumentState, OptionalDay
from surefoot.project.definition.system import Part, Text
from surefoot.project.inputs import NamesDocument
from surefoot.project.registry import step
from surefoot.project.steps import parameters
from surefoot.project.steps.parameters import MOST_LINES, Level, OfClass, described, limit, one_sided
from surefoot.project.steps.test_data import examined, of_kind, scope_of

WHERE = "counted"
Count = Annotated[int, Field(ge=0)]
Amount = Annotated[float, Field(gt=0)]


class CountedPart(Part):
    """What was counted in one group or stratum: failures in trials, or events in hours or another exposure."""

    name: Text
    failures: Count | None = None
    trials: Annotated[int, Field(ge=1)] | None = None
    events: Count | None = None
    hours: Amount | None = None
    exposure: Amount | None = None
    share: Annotated[float, Field(gt=0, le=1)] | None = None
    """Of a stratum: its share of operation."""


CountedIn = Annotated[
    Document,
    described(
        "What it was counted in: `path` or `url`, `sha256`, and `title`, `page`, `version`, `owner`, `date`, `id`.",
        "A file must have the hash that is given; an address is not fetched.",
    ),
    NamesDocument(as_stated=True),
]
Failures = Annotated[Count | None, described("Of `trials`, so many failed.")]
Trials = Annotated[Annotated[int, Field(ge=1)] | None, described("How many trials there were.")]
Events = Annotated[Count | None, described("So many events came in `hours`, or in `exposure`.")]
Hours = Annotated[Amount | None, described("How many hours were watched.")]
Exposure = Annotated[Amount | None, described("In place of `hours`: so much of `per`, such as kilometres.")]
Per = Annotated[str, Field(min_length=1, description="What `exposure` is counted in.")]
Groups = Annotated[
    Annotated[list[CountedPart], Field(min_length=1)] | None,
    described(
        "Counts of groups, each `{name: ..., failures: ..., trials: ...}` or `{name: ..., events: ..., hours: ...}`:",
        "one result for all together, and one for each.",
    ),
]
Strata = Annotated[
    Annotated[list[CountedPart], Field(min_length=1)] | None,
    described("The same with the `share` of operation of each, where they were not counted as often as they occur."),
]
Named = Annotated[
    str | None, described(f"Name of the result; by default `{FAILURE_PROBABILITY}`, of events `{EVENT_RATE}`.")
]
About = Annotated[str, described("What it is about, such as a component or a class; results say so.")]
CountedBy = Annotated[str, described("Who counted, or read the counts; by default the owner of the document.")]
When = Annotated[OptionalDay, described("When that was; by default the date of the document.")]


@step
def counted(
    *,
    document: CountedIn,
    failures: Failures = None,
    trials: Trials = None,
    events: Events = None,
    hours: Hours = None,
    exposure: Exposure = None,
    per: Per = "hour",
    groups: Groups = None,
    strata: Strata = None,
    quantity: Named = None,
    about: About = "",
    by: CountedBy = "",
    date: When = "",
    level: Level = 0.95,
) -> Evidence:
    """Counts out of a document: failures in trials, or events in hours, with exact bounds.

    `failures` of `trials` give the bounds of Clopper and Pearson, `events` in `hours` (or another `exposure`) those of
    Garwood; `groups` are counted together, `strata` weighed by their shares of operation. The document is named with
    its hash; that it says what happened, and that what was counted comes as in operation, are assumptions. Gives
    `failure probability` or `event rate`, or the `quantity` that is named.
    """
    whole = CountedPart(name="all", failures=failures, trials=trials, events=events, hours=hours, exposure=exposure)
    counting = _Counting.of(whole, groups, strata, per, quantity, about, level)
    source = _Source(document, by or document.owner, date or document.date)
    parts = [counting.estimate(part) for part in counting.parts]
    total = counting.total(parts)
    several = len(parts) > 1
    found = [source.marked(each) for each in (total, *(parts if several else ()))]
    lines: list[Line] = [("all", *_counts_of(counting.parts), None, total)] if several else []
    lines += [
        (part.name if several else "all", *_counts_of([part]), part.share, each)
        for part, each in zip(counting.parts, parts, strict=True)
    ]
    return Evidence(
        tuple(found),
        tables={"counts": _table(lines, level, counting.of_trials), "document": source.table()},
        artefacts={total.quantity: _figure(lines, level)},
        assumptions=(source.assumption,),
    )


FAILURE_RATE = "failure rate"
SECONDS_IN_AN_HOUR = 3600.0
Merge = Annotated[
    float,
    Field(ge=0),
    described(
        "Failures that are at most so many seconds apart are one event; by default only those of rows that follow",
        "each other.",
    ),
]


@step
def failure_rate(tested: Tested, *, level: Level = 0.95, of: OfClass = None, merge: Merge = 0.0) -> Evidence:
    """Failures per hour of rows with times: a run of failing rows of a sequence is one event.

    The exposure is the time in which an event could begin: that of the rows, sequence by sequence, without what follows
    a failure and still belongs to it. The bounds are those of Garwood for events that come at a constant rate. Needs
    `time:` of the data set. Gives `failure rate`, per hour.
    """
    chosen = tested.of_class(of)
    if chosen.times is None:
        remedy = "Name the column of times with time: in the data set, in seconds or as dates with times."
        raise InvalidInput("the rows have no times", where=tested.component, remedy=remedy)
    if not chosen.in_seconds:
        remedy = "Say how many a second has with frame_rate: in the data set, or name a column of seconds with time:."
        raise InvalidInput("the times are numbers of frames", where=tested.component, remedy=remedy)
    if len(chosen) != len(tested) or not np.array_equal(chosen.times, np.asarray(tested.times)):
        remedy = "Leave of: out, or ask about a kind of failure that every row has, such as image with spurious."
        raise InvalidInput(
            "an event is a run of rows of a sequence, and these are only some of them, or several of one row",
            where=tested.component,
            found=f"of: {of}",
            remedy=remedy,
        )
    times, films = np.asarray(chosen.times), _films(chosen)
    begins, waiting = _events(chosen.failed, times, films, merge)
    covered = np.bincount(films, _steps(times, films) * waiting)
    hours = float(covered.sum()) / SECONDS_IN_AN_HOUR
    scope = scope_of(chosen, of=of)
    found = garwood(int(begins.sum()), hours, level=level, quantity=FAILURE_RATE, scope=scope)
    details = {**found.details, "merge": merge, "sequences": covered.size}
    marked = of_kind(examined(replace(found, details=details), {CONSTANT_RATE.id: serial_dependence(begins)}), chosen)
    counts = np.bincount(films, begins, minlength=covered.size).astype(int)
    names = (
        np.arange(covered.size)
        if chosen.sequences is None
        else chosen.sequences[np.unique(films, return_index=True)[1]]
    )
    rows = [(str(n), int(k), float(t)) for n, k, t in zip(names, counts, covered, strict=True)]
    worst = sorted(rows, key=lambda row: row[1], reverse=True)[:MOST_LINES]
    total = ("all", int(begins.sum()), float(covered.sum()))
    return Evidence((marked,), tables={"sequences": Table(("sequence", "events", "seconds"), (total, *worst))})


def _films(tested: Tested) -> NDArray[np.int64]:
    """The sequence of each row by its number, in the order in which sequences come."""
    if tested.sequences is None:
        return np.zeros(len(tested), dtype=np.int64)
    return np.cumsum(np.concatenate([[False], tested.sequences[1:] != tested.sequences[:-1]])).astype(np.int64)


def _events(
    failed: NDArray[np.bool_], times: NDArray[np.floating], films: NDArray[np.int64], merge: float
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Rows with which an event begins, and rows with which one could: not soon after a failure of their sequence."""
    place = np.arange(failed.size)
    last = np.maximum.accumulate(np.where(failed, place, -1))
    before = np.concatenate([[-1], last[:-1]])
    known = np.maximum(before, 0)
    same = (before >= 0) & (films[known] == films)
    soon = same & ((place - known == 1) | (times - times[known] <= merge))
    return failed & ~soon, ~soon


def _steps(times: NDArray[np.floating], films: NDArray[np.int64]) -> NDArray[np.floating]:
    """Seconds for which each row stands: the time to the next one of its sequence, of the last a usual step."""
    steps = np.diff(times, append=times[-1:])
    inside = np.concatenate([films[1:] == films[:-1], [False]])
    return np.where(inside, steps, np.median(steps[inside]) if inside.any() else 0.0)


@dataclass(frozen=True)
class _Counting:
    """What was counted, part by part, and how to bound it."""

    parts: Sequence[CountedPart]
    stratified: bool
    per: str
    quantity: str
    about: str
    level: float

    @classmethod
    def of(
        cls,
        whole: CountedPart,
        groups: Sequence[CountedPart] | None,
        strata: Sequence[CountedPart] | None,
        per: str,
        quantity: str | None,
        about: str,
        level: float,
    ) -> _Counting:
        alone = [whole] if any(getattr(whole, name) is not None for name in COUNTED) else None
        given = [each for each in (alone, groups, strata) if each]
        if len(given) != 1:
            raise InvalidInput(
                "give exactly one of failures and trials, events and hours, groups, and strata",
                where=WHERE,
                found="none" if not given else "several",
            )
        (parts,) = given
        names = [part.name for part in parts]
        if len(set(names)) < len(names):
            raise InvalidInput("two groups have one name", where=WHERE, found=", ".join(names))
        sorts = {_sort(part) for part in parts}
        if len(sorts) > 1:
            raise InvalidInput("groups are counted in one way", where=WHERE, found=", ".join(sorted(sorts)))
        if any((part.share is None) != (strata is None) for part in parts):
            remedy = "Write them as strata, each with its share of operation; or as groups, without."
            raise InvalidInput("shares of operation belong to strata, one to each", where=WHERE, remedy=remedy)
        if sorts != {"exposure"} and per != "hour":
            raise InvalidInput("per: goes with exposure:", where=WHERE, found=per)
        usual = FAILURE_PROBABILITY if sorts == {"trials"} else EVENT_RATE
        return cls(parts, strata is not None, per, quantity or usual, about, level)

    @property
    def of_trials(self) -> bool:
        """Whether failures in trials were counted, and not events in an exposure."""
        return self.parts[0].trials is not None

    def estimate(self, part: CountedPart) -> Estimate:
        """One part, or the whole where it is the only one."""
        name = part.name if len(self.parts) > 1 else ""
        return self._bounded(*_counts_of([part]), ", ".join(filter(None, (self.about, name))))

    def total(self, parts: Sequence[Estimate]) -> Estimate:
        """All parts together."""
        if len(parts) == 1:
            return parts[0]
        if not self.stratified:
            return self._bounded(*_counts_of(self.parts), self.about)
        shares = [part.share or 0.0 for part in self.parts]
        if self.of_trials:
            failures, trials = ([getattr(part, name) for part in self.parts] for name in ("failures", "trials"))
            return stratified(failures, trials, shares, level=self.level, quantity=self.quantity, scope=self.about)
        return self._weighed(parts, shares)

    def _weighed(self, parts: Sequence[Estimate], shares: Sequence[float]) -> Estimate:
        """Rates of strata, which share the miss probability, weighed by how often they occur."""
        if abs(sum(shares) - 1) > SUM:
            raise InvalidInput("shares of strata sum to 1", where=WHERE, found=f"{sum(shares):.12g}")
        names = [f"stratum {number}" for number in range(1, len(parts) + 1)]
        weights = dict(zip(names, shares, strict=True))
        found = propagate(
            lambda **rates: np.sum([weights[name] * rate for name, rate in rates.items()], axis=0),
            dict(zip(names, parts, strict=True)),
            quantity=self.quantity,
            direction=Proven(dict.fromkeys(names, 1)),
            level=self.level,
            scope=self.about,
        )
        method = replace(found.provenance, method="bounds.garwood.by_stratum", params={"shares": shares})
        return replace(found, provenance=method)

    def _bounded(self, count: int, of: float, scope: str) -> Estimate:
        if self.of_trials:
            return clopper_pearson(
                count, int(of), level=self.level, quantity=self.quantity, unit=PER_DEMAND, scope=scope
            )
        return garwood(count, of, level=self.level, quantity=self.quantity, unit=f"per {self.per}", scope=scope)


COUNTED = ("failures", "trials", "events", "hours", "exposure")
PAIRS = {"trials": "failures", "hours": "events", "exposure": "events"}
SUM = 1e-9


def _sort(part: CountedPart) -> str:
    """What events of a part were counted in; exactly one pair of counts is there."""
    given = {name for name in COUNTED if getattr(part, name) is not None}
    found = [of for of, what in PAIRS.items() if given == {of, what}]
    if not found:
        raise InvalidInput(
            "counts are failures with trials, events with hours, or events with exposure",
            where=f"{WHERE}, {part.name}",
            found=", ".join(sorted(given)) or "none",
        )
    return found[0]


def _counts_of(parts: Sequence[CountedPart]) -> tuple[int, float]:
    """Failures and trials, or events and exposure, of parts together."""
    count = sum(part.failures or part.events or 0 for part in parts)
    return count, sum(part.trials or part.hours or part.exposure or 0 for part in parts)


Line = tuple[str, int, float, float | None, Estimate]


def _table(lines: Sequence[Line], level: float, of_trials: bool) -> Table:
    what = ("failures", "of", "share of failures") if of_trials else ("events", "in", "rate")
    bounds = (f"lower bound ({one_sided(level)})", f"upper bound ({one_sided(level)})")
    rows = tuple(
        (name, count, int(of) if of_trials else of, share, e.value, limit(e, "lower", level), limit(e, "upper", level))
        for name, count, of, share, e in lines
    )
    columns = ("group", *what[:2], "share of operation", what[2], *bounds)
    if any(share is not None for *_, share, _ in lines):
        return Table(columns, rows)
    return Table((*columns[:3], *columns[4:]), tuple((*row[:3], *row[4:]) for row in rows))


def _figure(lines: Sequence[Line], level: float) -> Any:
    drawn: list[Interval] = [
        (
            name,
            limit(e, "lower", level) or 0.0,
            e.value,
            e.value if (upper := limit(e, "upper", level)) is None else upper,
        )
        for name, _, _, _, e in lines
    ]
    first = lines[0][-1]
    return parameters.intervals(drawn, f"{first.quantity} {first.unit}, lower and upper bound ({one_sided(level)})")


# Where counts come from, and what must be believed of it.


@dataclass(frozen=True)
class _Source:
    """A document, who counted in it and when."""

    document: Document
    by: str
    date: str

    @property
    def assumption(self) -> Assumption:
        """That the document tells what was counted; its hash says only that it is the same document."""
        who = f"counted by {self.by}" if self.by else "nobody says who counted"
        when = f", {self.date}" if self.date else ""
        text = f"What was counted is as the document says: {self.document.words}; {who}{when}."
        check = Check("unchecked", f"the content of the document: {self.document.checked}", self._figures)
        return Assumption(AS_DOCUMENTED, text, check, scope=self.document.name)

    @property
    def _figures(self) -> dict[str, Any]:
        return {"sha256": self.document.content} if self.document.content else {}

    def marked(self, estimate: Estimate) -> Estimate:
        """The estimate with what must be believed of the document."""
        caveats = (*estimate.caveats, *self._caveats())
        named = self.document.content or self.document.sha256 or self.document.url or ""
        made = estimate.provenance
        if named:
            made = replace(made, data={**made.data, "document": named})
        told = union(estimate.assumptions, (self.assumption,))
        return replace(estimate, assumptions=told, caveats=caveats, provenance=made)

    def _caveats(self) -> Iterator[Diagnostic]:
        if not self.document.content:
            text = f"Nobody can tell whether {self.document.name} is the document that was counted in."
            hint = "Write the SHA-256 of the document as sha256:, or keep it beside the project and name its path."
            yield Diagnostic("document-unchecked", text, "warning", hint=hint)

    def table(self) -> Table:
        """What is known of the document."""
        return told(self.document, (("counted by", self.by), ("on", self.date)))


def told(document: Document, more: Sequence[tuple[str, str]]) -> Table:
    """A document as rows of what is known and what of it."""
    known = (
        ("title", document.title),
        ("id", document.id),
        ("version", document.version),
        ("page", str(document.page)),
        ("owner", document.owner),
        ("issued", document.date),
        ("where", document.place),
        ("SHA-256", document.content),
        ("checked", document.checked),
    )
    return Table(("what", "said"), tuple((name, text) for name, text in (*known, *more) if text))


# Documents without numbers: a review, a proof, a certificate.

Shown = Annotated[
    Document,
    described(
        "The document: `path` or `url`, `sha256`, and `title`, `page`, `version`, `owner`, `date`, `id`.",
        "Where its file has another hash than the one given, it is not what was accepted, and shows nothing.",
    ),
    NamesDocument(as_stated=False),
]
Kind = Annotated[
    str, Field(min_length=1, description="What it is: `review`, `proof`, `certificate`, `analysis`, `procedure` ...")
]
State = Annotated[
    DocumentState, described("How far it has come. A claim rests on it only once it is `accepted`, and `by` says whom.")
]
SaidBy = Annotated[str, described("Who says so: who accepted it, or reviewed it.")]
SaidWhen = Annotated[OptionalDay, described("When they did.")]


@step
def document(*, document: Shown, kind: Kind, state: State = "draft", by: SaidBy = "", date: SaidWhen = "") -> Evidence:
    """A document without numbers as evidence: a review, a proof, a certificate, with its state and who answers for it.

    Gives no estimate. A node of the case rests on it by the name of this step alone, such as
    `rests on: review-of-labels`, and is supported only where the document is accepted, somebody is named who accepted
    it, and its content is still the same.
    """
    said = (("kind", kind), ("state", state), ("by", by), ("on", date))
    return Evidence((), tables={"document": told(document, said)})
