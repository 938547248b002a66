"""A stream of operational inputs against an assessment: what it rests on, and what it claims."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.adapters import Frame, Tested, is_frame
from surefoot.bounds import clopper_pearson
from surefoot.case import ClaimChange
from surefoot.core import Assumption, Check, DiagnosticsError, Summary, digest, validate
from surefoot.core.canonical import FrozenMap, reading
from surefoot.documents import listed
from surefoot.profile.stream import FEWEST_ROWS
from surefoot.project.components import as_assumptions, as_text
from surefoot.project.definition import Condition, Conditions
from surefoot.project.project import Project
from surefoot.project.result import Result
from surefoot.watch.claims import LIKE_OPERATION, ClaimWatch, Consequences, claims_of, fall, watched
from surefoot.watch.drift import Features, Layout, ProfileWatch, Reference, chosen_component, class_numbers
from surefoot.watch.records import CONDITION, Event, out_of, share_words

STATE_VERSION = 1


class Watch:
    """Takes in batches of operational inputs and says when an assumption breaks or a claim falls.

    The chance that it ever raises something by chance is at most 1 - ``level``, over the whole stream: one half is
    spent on the profile, the other on the claims together. Rows outside the operating conditions are no matter of
    chance. Memory does not grow with the stream.

    Parameters
    ----------
    project
        What was assessed.
    result
        What the assessment found.
    component
        The component that gets these inputs; needed where there are several.
    level
        How surely nothing is raised by chance, over the whole stream.
    seed
        Seed of what is drawn from the reference.

    References
    ----------
    Vovk, Gammerman and Shafer (2022), Algorithmic Learning in a Random World (profile); Waudby-Smith and Ramdas (2024),
    JRSS-B 86(1) (claims).

    Examples
    --------
    >>> import numpy as np
    >>> import surefoot as sf
    >>> inputs = np.linspace(-1, 1, 400)[:, None]
    >>> def model(rows):
    ...     return np.column_stack([rows[:, 0] < 0, rows[:, 0] >= 0]).astype(float)
    >>> project = sf.Project.of(
    ...     "gate",
    ...     model=model,
    ...     data=(inputs, (inputs[:, 0] > 0).astype(int)),
    ...     evidence={"counted": {"step": "binomial_bound"}},
    ...     targets={"misses": {"estimate": "counted.failure probability", "at_most": 0.05}},
    ... )
    >>> watch = sf.watch.Watch(project, sf.run(project))
    >>> [event.code for event in watch.update(inputs[::-1] + 5)]
    ['watch-profile', 'watch-claim-fell', ...]

    """

    @validate.arguments
    def __init__(
        self, project: Project, result: Result, *, component: str | None = None, level: float = 0.99, seed: int = 0
    ) -> None:
        self.component = chosen_component(project, component)
        self.level = validate.level(level, where="Watch")
        self.layout = Layout.of(project, self.component)
        self.reference = Reference.of(project, self.component, seed=seed)
        self._case = Consequences(project, result, self.component)
        conditions = project.definition.conditions
        self.conditions = ConditionWatch(conditions, self.component, self.layout.attributes, level=self.level)
        claims, features = claims_of(project, result, self.component), Features.of(self.reference, self.layout.inputs)
        known = len(features.reference) >= FEWEST_ROWS
        share = (1 - self.level) / (2 if claims and known else 1)
        self.profile = ProfileWatch(features, alpha=share, seed=seed, data=self.reference.name) if known else None
        self.claims = [watched(answer, task, alpha=share / len(claims)) for answer, task in claims]
        self.unwatched = self._unwatched(unwatched(conditions, self.layout.attributes), result)
        """What this stream cannot say anything about, in words."""
        self.rows = 0
        self.batches = 0
        self.labelled = 0
        self.events = 0
        """How many were raised."""
        self.fallen: tuple[str, ...] = ()
        """Ids of claims that fell."""
        self._identity = self._digest(result)

    def update(
        self,
        rows: Any,
        labels: Sequence[Any] | NDArray[Any] | None = None,
        attributes: Mapping[str, ArrayLike] | None = None,
        *,
        numbers: ArrayLike | None = None,
    ) -> list[Event]:
        """Take in rows, the oldest first, and say what happened.

        ``rows`` are inputs of the model, as a frame where it takes one, or scores where the component has none;
        ``labels`` are classes, with None
        where a label is not known; ``attributes`` are columns of the operating conditions. ``numbers`` are the rows'
        places in the stream, where some were left out.
        """
        framed = Frame(rows) if is_frame(rows) else rows
        given = framed if isinstance(framed, Frame) else np.asarray(framed)
        places = np.arange(self.rows + 1, self.rows + len(given) + 1) if numbers is None else np.asarray(numbers)
        if not len(given):
            return []
        columns = {name: np.asarray(column) for name, column in (attributes or {}).items()}
        for column in (places, *columns.values()):
            validate.same_length("Watch.update", rows=given, attributes=column)
        found = [*self.conditions.update(columns, places), *self._answered(given, labels, places)]
        self.rows, self.batches = int(places[-1]), self.batches + 1
        if found:
            found += self._consequences(int(places[-1]))
        self.events += len(found)
        return found

    @property
    def broken(self) -> dict[str, Check]:
        """Assumptions that the stream contradicts, by id."""
        profile = self.profile.broken if self.profile else None
        return self.conditions.broken | ({} if profile is None else dict.fromkeys(LIKE_OPERATION, profile))

    @property
    def raised(self) -> bool:
        """Whether anything was raised so far."""
        return self.events > 0

    def feedback(self, *, since: str = "", until: str = "", source: str = "") -> list[dict[str, Any]]:
        """What operation brought, for ``case: feedback:`` of the project file."""
        told = (claim.feedback(since=since, until=until, source=source) for claim in self.claims)
        return [entry for entry in told if entry is not None]

    def summary(self) -> Summary:
        """Where the stream stands, for terminal and notebook."""
        return summary_of(self)

    def state(self) -> dict[str, Any]:
        """All that was learnt from the stream, as plain data for ``restore``."""
        return {
            "version": STATE_VERSION,
            "identity": self._identity,
            "rows": self.rows,
            "batches": self.batches,
            "labelled": self.labelled,
            "events": self.events,
            "fallen": list(self.fallen),
            "conditions": self.conditions.snapshot(),
            "profile": self.profile.snapshot() if self.profile else None,
            "claims": {claim.name: claim.snapshot() for claim in self.claims},
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on where ``state`` was taken; the project, the component and the level must be the same."""
        with reading("state of a watch"):
            if (state["version"], state["identity"]) != (STATE_VERSION, self._identity):
                text = "the state was kept for another model, data, target, component or level."
                raise DiagnosticsError.of("watch-state", text, hint="Remove the file to start anew.")
            self.conditions.resume(state["conditions"])
            if self.profile:
                self.profile.resume(state["profile"])
            for claim in self.claims:
                claim.resume(state["claims"][claim.name])
            self.rows, self.batches, self.labelled, self.events = (
                validate.count(state[name], where="state", name=name)
                for name in ("rows", "batches", "labelled", "events")
            )
            self.fallen = tuple(map(str, state["fallen"]))
            if self.events:
                self._fell()

    def _answered(self, rows: NDArray[Any] | Frame, labels: Any, places: NDArray[np.int64]) -> Iterator[Event]:
        scores = self.reference.answers(rows)
        if self.profile:
            yield from self.profile.update(rows, scores, places)
        if labels is None:
            return
        numbers = class_numbers(labels, self.reference.classes, where=self.component)
        validate.same_length("Watch.update", rows=rows, labels=numbers)
        known = numbers >= 0
        self.labelled += int(known.sum())
        if known.any():
            output, classes = self.reference.output, self.reference.classes
            tested = Tested(self.component, numbers[known], scores[known], output, classes)
            for claim in self.claims:
                yield from claim.update(tested, places[known])

    def _consequences(self, row: int) -> list[Event]:
        changes = sorted(self._fell(), key=lambda change: -len(change.chain))
        self.fallen = tuple(dict.fromkeys((*self.fallen, *(change.id for change in changes))))
        refuted = [entry.claim for claim in self.claims if (entry := claim.refuted()) is not None]
        return [fall(change, row, self._case.because(change.id, self.broken, refuted)) for change in changes]

    def _fell(self) -> tuple[ClaimChange, ...]:
        refuted = [entry for claim in self.claims if (entry := claim.refuted()) is not None]
        return self._case.after(self.broken, refuted)

    def _unwatched(self, conditions: list[str], result: Result) -> list[str]:
        found = [f"condition {', '.join(conditions)}: the stream has no column that tells"] if conditions else []
        if self.profile is None:
            found.append(f"profile: the data set {self.reference.name!r} has fewer than {FEWEST_ROWS} rows")
        counted = {claim.name for claim in self.claims}
        others = [answer.name for answer in result.answers if answer.name not in counted]
        if others:
            found.append(f"targets {', '.join(others)}: counting failures of {self.component} does not decide them")
        return found

    def _digest(self, result: Result) -> str:
        return digest(
            {
                "component": self.component,
                "level": self.level,
                "reference": {self.reference.name: self.reference.digests},
                "claims": {claim.name: claim.test.limit for claim in self.claims},
                "conditions": list(self.conditions.columns),
                "features": list(self.profile.features.names) if self.profile else [],
                "case": list(result.case.nodes),
            }
        )


# Rows of a stream against the operating conditions, by the same check that an assessment makes.

Columns = Mapping[str, NDArray[Any]]


@dataclass
class ConditionCount:
    """Rows outside one condition so far."""

    text: str
    rows: int = 0
    outside: int = 0
    first: int | None = None
    """The first row outside, counted from 1."""

    @property
    def share(self) -> float:
        """Share of rows outside."""
        return self.outside / self.rows if self.rows else 0.0

    def check(self, level: float) -> Check:
        """What the stream says of the condition."""
        at_least = clopper_pearson(self.outside, self.rows, level=level).lower(level) if self.outside else 0.0
        figures = {"rows": self.rows, "outside": self.outside, "first": self.first, "at least": at_least}
        return Check("contradicted" if self.outside else "supported", "rows of operation outside", figures, self.share)


class ConditionWatch:
    """Counts rows outside the operating conditions; a single one breaks the assumption.

    Parameters
    ----------
    conditions
        The operating conditions of a project.
    component
        Whose inputs the rows are.
    columns
        Columns that the stream can have; conditions on others are not watched.
    level
        Level of the share of rows outside.

    Examples
    --------
    >>> import numpy as np
    >>> from surefoot.project import Conditions
    >>> from surefoot.watch import ConditionWatch
    >>> limit = {"id": "slow", "text": "Vehicles go at most 30 km/h.", "column": "speed", "at_most": 30.0}
    >>> conditions = Conditions.model_validate({"assumptions": [limit]})
    >>> watch = ConditionWatch(conditions, "guard", ["speed"], level=0.95)
    >>> for event in watch.update({"speed": np.array([12.0, 28.0, 45.0])}, np.arange(1, 4)):
    ...     print(event)
    row 3: [watch-condition] Operation leaves the conditions of the assessment: in row 3 speed is 45, and at most ...

    """

    @validate.arguments
    def __init__(self, conditions: Conditions, component: str, columns: Iterable[str], *, level: float) -> None:
        known = set(columns)
        self._watched = Conditions(
            assumptions=[each for each in conditions.assumptions if each.column in known],
            odd={name: values for name, values in conditions.odd.items() if name in known},
        )
        self._component, self._level = component, level
        self.found: dict[str, ConditionCount] = {}

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns that are looked at."""
        named = [each.column for each in self._watched.assumptions if each.column is not None]
        return tuple(dict.fromkeys([*named, *self._watched.odd]))

    @property
    def broken(self) -> dict[str, Check]:
        """Conditions that rows contradict, by id."""
        return {name: found.check(self._level) for name, found in self.found.items() if found.outside}

    def update(self, attributes: Columns, numbers: NDArray[np.int64]) -> Iterator[Event]:
        """Take in rows; an event for each condition that breaks. Columns that are not there are not looked at."""
        present = {name: np.asarray(column) for name, column in attributes.items() if name in self.columns}
        for assumption in self._assumptions(present):
            if assumption.check is None:
                continue
            counted = self.found.setdefault(assumption.id, ConditionCount(assumption.text))
            counted.rows += numbers.size
            counted.outside += round((assumption.check.effect or 0.0) * numbers.size)
            if counted.outside and counted.first is None:
                place = self._first(assumption.id, present, numbers.size)
                counted.first = int(numbers[place])
                row = {name: column[place] for name, column in present.items()}
                yield self._event(assumption.id, counted, row)

    def snapshot(self) -> dict[str, Any]:
        """What it counted, as plain data."""
        return {name: dict(vars(found)) for name, found in self.found.items()}

    def resume(self, snapshot: Mapping[str, Any]) -> None:
        """Go on from what ``snapshot`` told."""
        with reading("count of rows outside"):
            self.found = {str(name): ConditionCount(**told) for name, told in snapshot.items()}

    def _assumptions(self, attributes: Columns) -> tuple[Assumption, ...]:
        if not attributes:
            return ()
        rows = len(next(iter(attributes.values())))
        labels, scores = np.zeros(rows, np.int64), np.zeros((rows, 1))
        columns = FrozenMap(attributes)
        tested = Tested(self._component, labels, scores, "label", ("",), attributes=columns)
        here = [each for each in self._watched.assumptions if each.column in attributes]
        return as_assumptions(self._watched.model_copy(update={"assumptions": here}), tested)

    def _first(self, name: str, attributes: Columns, rows: int) -> int:
        """The first row outside, by halving: the rows up to it are inside, and those with it are not."""
        inside, outside = 0, rows
        while outside - inside > 1:
            middle = (inside + outside) // 2
            part = {column: values[:middle] for column, values in attributes.items()}
            check = next(each.check for each in self._assumptions(part) if each.id == name)
            if check is not None and check.status == "contradicted":
                outside = middle
            else:
                inside = middle
        return outside - 1

    def _event(self, name: str, found: ConditionCount, row: Mapping[str, Any]) -> Event:
        first = found.first or 0
        said = "; ".join(self._outside(name, row)) or found.text
        text = (
            f"Operation leaves the conditions of the assessment: in row {first:,} {said}. Rows outside so far: "
            f"{out_of(found.outside, found.rows)}. {OUTSIDE}"
        )
        return Event(CONDITION, first, text, name, found.check(self._level).figures)

    def _outside(self, name: str, row: Mapping[str, Any]) -> Iterator[str]:
        """What the first row outside has, and what is stated instead."""
        stated = next((each for each in self._watched.assumptions if each.id == name), None)
        if stated is not None and stated.column is not None:
            yield f"{stated.column} is {as_text(row[stated.column])}, and {' and '.join(asked_of(stated))} is stated"
        elif stated is None:
            for column, values in self._watched.odd.items():
                known = [as_text(value) for value in values]
                if column in row and as_text(row[column]) not in known:
                    yield f"{column} is {as_text(row[column])}, and one of {listed(known, MOST_VALUES)} is stated"


OUTSIDE = "The tests say nothing about such rows: keep them out of operation, or test on them and widen the condition."
MOST_VALUES = 6


def asked_of(condition: Condition) -> Iterator[str]:
    """What a condition asks of its column."""
    for word, limit in (("at least", condition.at_least), ("at most", condition.at_most)):
        if limit is not None:
            yield f"{word} {limit:g}"
    if condition.one_of is not None:
        yield f"one of {listed([as_text(value) for value in condition.one_of], MOST_VALUES)}"


def unwatched(conditions: Conditions, columns: Iterable[str]) -> list[str]:
    """Conditions that nothing in a stream with these columns can check."""
    known = set(columns)
    missing = [each.id for each in conditions.assumptions if each.column not in known]
    return missing + [f"{name} of the operating conditions" for name in conditions.odd if name not in known]


# Where a watched stream stands: what ``summary`` prints, and the same as plain data.

MOST_NAMED = 3


def summary_of(watch: Watch) -> Summary:
    """A line for each thing that is watched."""
    rows = [("rows", f"{watch.rows:,} ({watch.labelled:,} with a label)")]
    for name, found in watch.conditions.found.items():
        said = f"the first is row {found.first:,}" if found.outside else "so far it holds"
        rows.append((name, f"{out_of(found.outside, found.rows, 'rows')} outside; {said}"))
    rows.append(("profile", _profile(watch)))
    rows += [(f"claim {claim.name}", _claim(claim)) for claim in watch.claims]
    rows.append(("claims fallen", ", ".join(watch.fallen) or "none"))
    rows += [("not watched", text) for text in watch.unwatched]
    return Summary(f"{watch.component} in operation, at level {watch.level:g}", rows)


@validate.arguments
def status_figures(watch: Watch) -> dict[str, Any]:
    """Where a watched stream stands, as plain data: what ``Watch.summary`` prints.

    Parameters
    ----------
    watch
        After any number of batches.

    Returns
    -------
    dict
        Rows, conditions, profile, claims, and which claims fell.

    See Also
    --------
    Watch.summary : The same for people.

    """
    profile = watch.profile
    moved = profile.moved if profile else ()
    return {
        "component": watch.component,
        "level": watch.level,
        "rows": watch.rows,
        "batches": watch.batches,
        "labelled": watch.labelled,
        "raised": watch.raised,
        "conditions": {name: dict(vars(found)) for name, found in watch.conditions.found.items()},
        "profile": None
        if profile is None
        else {
            "reference": watch.reference.name,
            "alarmed": profile.row is not None,
            "row": profile.row,
            "since": profile.since,
            "evidence": profile.value,
            "moved": [dict(vars(each)) for each in moved[:MOST_NAMED]],
        },
        "claims": {claim.name: claim.figures() for claim in watch.claims},
        "fallen": list(watch.fallen),
        "unwatched": list(watch.unwatched),
    }


def _profile(watch: Watch) -> str:
    profile = watch.profile
    if profile is None:
        return "not watched"
    against = f"against data set {watch.reference.name!r}"
    if profile.row is None:
        return f"no change found in {profile.rows:,} rows {against}"
    return (
        f"changed {against} since about row {profile.since:,}, noticed at row {profile.row:,}: {profile.what_moved()}."
    )


def _claim(claim: ClaimWatch) -> str:
    found = claim.figures()
    asked = f"at most {share_words(found['limit'])} is claimed"
    bound = "" if found["tests at most"] is None else f", at most {share_words(found['tests at most'])}"
    tests = f"the tests had {share_words(found['tests'])}{bound}"
    if not claim.exposure:
        return f"no labelled rows{'' if claim.of is None else f' of {claim.of}'}; {asked}; {tests}"
    verdict = "not refuted so far" if claim.row is None else f"refuted at row {claim.row:,}"
    between = f"{share_words(found['at least'])} to {share_words(found['at most'])} at this look"
    rows = out_of(claim.failures, claim.exposure, "rows")
    return f"{verdict}: {rows} failed, {between}; {asked}; {tests}"
