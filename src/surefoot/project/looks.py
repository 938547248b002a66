"""The ledger of looks: which models and targets a test set has judged, and what that does to a level.

A look is a pair of a model and a target that a test set has judged, or a model and a result for which no target asks.
Each has a number that it keeps; the same pair again is no new look. The k-th look spends 1 / (k (k + 1)) of what a
target may miss. These shares sum to one, so that with models and targets that were fixed beforehand every "met" that is
ever counted, the first as well, is covered by the level of its target: by the union bound, however many there are.

Where later models depend on earlier answers, that holds only if nothing but the answers is shown (``looks:
adaptive``). Then the k-th model is a function of the k - 1 answers before it: (k - 1 choose m) sequences with m times
"met". The share 1 / (k (k + 1)) is divided among m = 0 ... k - 1 in proportion to 1 / ((m + 1) (m + 2)), and equally
among the sequences with that m, which makes 1 / (k**2 (m + 1) (m + 2) (k - 1 choose m)). These parts sum to one over
all sequences of answers, and for each sequence the model is fixed, so that the union bound over sequences holds
however models and targets were chosen. The argument is that of Blum and Hardt (2015), The Ladder: a reliable
leaderboard for machine learning competitions, ICML, who count the sequences of answers of a leaderboard, with
verdicts in place of rounded losses; see also Dwork et al. (2015), The reusable holdout: preserving validity in
adaptive data analysis, Science 349.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.adapters import Data, Frame, Tested
from surefoot.core import (
    Diagnostic,
    DiagnosticsError,
    Distribution,
    Estimate,
    Evidence,
    InvalidInput,
    Provenance,
    Table,
    Target,
    array_digest,
    digest,
    validate,
)
from surefoot.core.bound import WITHOUT_LEVEL
from surefoot.core.canonical import canonical_json
from surefoot.project.components import Components, Once
from surefoot.project.inputs import file_digests
from surefoot.project.plan import Task, how_read, quantity_of, step_of
from surefoot.project.project import Project
from surefoot.project.result import Looks

ADAPTIVE = "adaptive"
FINEST = 1e-12
"""The least probability of a miss at which a bound is asked for: one minus it is still exact to four digits."""
FIXED = "valid for models and targets fixed beforehand"
OLDER = (
    "The ledger of {data} has looks of an older format, which counted results in place of models and targets. Each "
    "counts for all that it lists, {count} looks in all; models with equal results were not told apart."
)
OPENED = "the numbers of {data} have been seen, so that it cannot be used adaptively any more."
FRESH = "Use test data that nobody has looked at, or leave out looks: adaptive."


@dataclass(frozen=True)
class Place:
    """The place of a target among all looks at the test data it rests on."""

    number: int
    share: float
    """Of what the target may miss, the part that this look spends."""
    met: bool | None = None
    """The answer, where nothing else is shown."""

    def level(self, target: Target) -> float:
        """The level at which the target is judged."""
        return 1 - (1 - target.level) * self.share


def corrected_level(level: float, looks: int) -> float:
    """The level of the look with that number, so that all looks together keep ``level``.

    Holds for models and targets that were fixed beforehand, by the union bound.

    Parameters
    ----------
    level
        The level of the target.
    looks
        The number of the look at the test set, counted from 1.

    Returns
    -------
    float
        The level at which this look is judged.

    Examples
    --------
    >>> [round(corrected_level(0.95, looks), 6) for looks in (1, 2, 10)]
    [0.975, 0.991667, 0.999545]

    """
    validate.count(looks, where="corrected_level", name="looks", at_least=1)
    return Place(looks, fixed_share(looks)).level(Target(at_most=0.0, level=level))


@validate.arguments
def fixed_share(number: int) -> float:
    """What the look with that number spends, of models and targets that were fixed beforehand.

    Parameters
    ----------
    number
        The number of the look, counted from 1.

    Returns
    -------
    float
        Share of what the target may miss; all shares sum to one.

    Examples
    --------
    >>> [round(fixed_share(number), 3) for number in (1, 2, 3)]
    [0.5, 0.167, 0.083]

    """
    validate.count(number, where="fixed_share", name="number", at_least=1)
    return 1 / (number * (number + 1))


@validate.arguments
def adaptive_share(number: int, met: int, unknown: int = 0) -> float:
    """What the look with that number spends where models may depend on earlier answers, and nothing else is shown.

    An answer more never makes it larger, so that looks of other runs at the same time may count as earlier ones.

    Parameters
    ----------
    number
        The number of the look, counted from 1.
    met
        How many of the answers before it were "met".
    unknown
        How many of them are not there yet.

    Returns
    -------
    float
        Share of what the target may miss; over all sequences of answers the shares sum to one.

    References
    ----------
    Blum and Hardt (2015), The Ladder: a reliable leaderboard for machine learning competitions, ICML.

    Examples
    --------
    >>> adaptive_share(1, 0), adaptive_share(3, 1) == 1 / (9 * 2 * 3 * 2)
    (0.5, True)

    """
    validate.count(number, where="adaptive_share", name="number", at_least=1)
    if not 0 <= met <= met + unknown or met >= number:
        problem, found = "a look has fewer answers before it than its number", f"{met} met, {unknown} unknown"
        raise InvalidInput(problem, where="adaptive_share", found=found)
    counts = range(met, min(met + unknown, number - 1) + 1)
    return min(1 / (number**2 * (some + 1) * (some + 2) * comb(number - 1, some)) for some in counts)


def judged(place: Place, estimate: Estimate, target: Target) -> Place:
    """The place with its answer; a bound that has no level answers nothing, nor does one at a level like certainty."""
    if (1 - target.level) * place.share < FINEST:
        return replace(place, met=False)
    verdict = estimate.meets(replace(target, level=place.level(target)))
    return replace(place, met=bool(verdict) and verdict.bound is not None and verdict.bound.kind != "expectation")


def with_caveat(estimate: Estimate, place: Place, target: Target, kind: str | None) -> Estimate:
    """The estimate, saying that its test set was looked at before."""
    if place.number == 1:
        return estimate
    number = place.number
    if kind in WITHOUT_LEVEL:
        text = f"This is look {number} at the test set, and no correction exists for a bound without a level."
        hint = "Use a bound with a level, or a test set that was not used before."
    else:
        text = f"This is look {number} at the test set; at level {target.level:g} this bound covers this look alone."
        hint = f"At level {place.level(target):.6g} all looks together keep {target.level:g}, {FIXED}."
    return replace(estimate, caveats=(*estimate.caveats, Diagnostic("repeated-looks", text, hint=hint)))


@dataclass(eq=False)
class Ledger:
    """What a run looks at, and where that stands in the ledgers of its test sets."""

    project: Project
    tasks: Sequence[Task]
    components: Components
    aside: frozenset[str] = frozenset()
    """Steps that were not computed, so that their test sets are not known."""
    _once: Once = field(default_factory=Once)

    @property
    def adaptive(self) -> bool:
        """Whether nothing but the answers is shown."""
        return self.project.definition.looks == ADAPTIVE

    def record(self, evidence: Mapping[str, Evidence]) -> dict[str, Place]:
        """Enter what is about to be shown; the place of each target that rests on test data."""
        self._require_unseen()
        asked = self.project.definition.all_targets
        looks = {
            name: list(self._looks(step_of(source.estimate), source.target, quantity_of(source.estimate)))
            for name, source in asked.items()
        }
        if self.adaptive:
            return {
                name: self._answered(of, evidence[step_of(it.estimate)][quantity_of(it.estimate)], it.target)
                for (name, it), of in zip(asked.items(), looks.values(), strict=True)
                if of
            }
        unasked = [look for task in self._unasked() for look in self._looks(task.name)]
        numbers = self._numbers([*chain.from_iterable(looks.values()), *unasked])
        return {name: self._numbered(of, numbers) for name, of in looks.items() if of}

    def counts(self) -> tuple[Looks, ...]:
        """All looks so far at each test set of the plan, with a warning where some are of an older format."""
        found = {f"{task.component}.{task.data}": self._row(task)[0] for task in self._on_test_sets()}
        for name, data in found.items():
            if any(look.older for look in self.components.store.ledger(data)):
                text = OLDER.format(data=name, count=self.components.store.looks(data))
                warning = Diagnostic("older-looks", text, "warning")
                if warning not in self.components.store.warnings:
                    self.components.store.warnings.append(warning)
        return tuple(Looks(name, self.components.store.looks(data)) for name, data in found.items())

    def earlier(self) -> dict[str, str]:
        """For each target: what earlier looks asked of the same number, and no target asks now."""
        asked = self.project.definition.all_targets
        numbers = {name: self._definition(step_of(it.estimate), quantity_of(it.estimate)) for name, it in asked.items()}
        now = {(numbers[name], str(source.target)) for name, source in asked.items()}
        before: dict[str, set[str]] = {}
        for data in {self._row(task)[0] for task in self._on_test_sets()}:
            for look in self.components.store.ledger(data):
                of, said = look.content.get("of"), look.content.get("asked")
                if said and (of, str(_target(said))) not in now:
                    before.setdefault(str(of), set()).add(str(_target(said)))
        return {
            name: f"Earlier assessments asked for {' and for '.join(sorted(before[of]))}."
            for name, of in numbers.items()
            if of in before
        }

    @property
    def resting(self) -> set[str]:
        """The steps that rest on test data."""
        found = {task.name for task in self._on_test_sets()} | self.aside
        for task in self.tasks:
            if found.intersection(task.needs):
                found.add(task.name)
        return found

    def _require_unseen(self) -> None:
        for task in self._on_test_sets() if self.adaptive else ():
            data = self._row(task)[0]
            for look in self.components.store.ledger(data):
                if look.older or (look.answer is not None and "met" not in look.answer):
                    name = f"{task.component}.{task.data}"
                    where = self.project.where("looks")
                    raise DiagnosticsError.of("looks-open", OPENED.format(data=name), where=where, hint=FRESH)

    def _numbers(self, looks: Sequence[tuple[str, dict[str, Any]]]) -> dict[tuple[str, str], int]:
        """The number of each look at each test set, all entered at once."""
        by_data: dict[str, list[dict[str, Any]]] = {}
        for data, look in looks:
            by_data.setdefault(data, []).append(look)
        return {
            (data, canonical_json(look)): number
            for data, several in by_data.items()
            for look, number in zip(several, self.components.store.record_looks(data, several), strict=True)
        }

    def _numbered(self, looks: Iterable[tuple[str, dict[str, Any]]], numbers: Mapping[tuple[str, str], int]) -> Place:
        """A target has one look for each model it rests on, and is judged as the first of them.

        Where it rests on several test sets, the one with the most looks decides.
        """
        first: dict[str, int] = {}
        for data, look in looks:
            number = numbers[data, canonical_json(look)]
            first[data] = min(first.get(data, number), number)
        number = max(first.values())
        return Place(number, fixed_share(number))

    def _answered(self, looks: Sequence[tuple[str, dict[str, Any]]], estimate: Estimate, target: Target) -> Place:
        store = self.components.store
        claimed = [(data, look, *store.claim_look(data, look)) for data, look in looks]
        if all(answer is not None for *_, answer in claimed):
            answers = [(answer["share"], number, answer["met"]) for *_, number, answer in claimed if answer]
            share, number, _ = min(answers)
            return Place(number, share, all(met for *_, met in answers))
        number = max(number for *_, number, _ in claimed)
        place = Place(number, min(self._share(data, number) for data, _, number, _ in claimed))
        place = judged(place, estimate, target)
        for data, look, own, _ in claimed:
            store.enter_look(data, look, own, {"met": place.met, "share": place.share})
        return place

    def _share(self, data: str, number: int) -> float:
        """Every other look counts as an earlier one: more of them only make the share smaller."""
        looks = self.components.store.ledger(data)
        met = sum(bool(look.answer and look.answer.get("met")) for look in looks)
        answered = sum(look.answer is not None for look in looks)
        place = max(number, answered + 1)
        return adaptive_share(place, met, unknown=place - 1 - answered)

    def _looks(
        self, step: str, target: Target | None = None, quantity: str = ""
    ) -> Iterator[tuple[str, dict[str, Any]]]:
        """A look for each model that a result rests on, each with its test set."""
        about = {"of": self._definition(step, quantity), "shown": "verdict" if self.adaptive else "all"}
        asked = {} if target is None else {"asked": _asked(target)}
        seen: dict[tuple[str, str], None] = {}
        behind = self._behind(step)
        for task in self._on_test_sets():
            if task.name in behind:
                seen[self._row(task)] = None
        for data, model in seen:
            yield data, {"model": model, **about, **asked}

    def _unasked(self) -> Iterator[Task]:
        """Steps on test data that no target rests on: their results are seen all the same."""
        asked = {step_of(source.estimate) for source in self.project.definition.all_targets.values()}
        behind = set().union(*map(self._behind, asked)) if asked else set()
        yield from (task for task in self._on_test_sets() if task.name not in behind)

    def _behind(self, step: str) -> set[str]:
        """A step and all that its result rests on."""
        return self._once(f"{step} behind", lambda: {step}.union(*map(self._behind, self._needs[step])))

    @cached_property
    def _needs(self) -> dict[str, Collection[str]]:
        return {task.name: task.needs for task in self.tasks}

    def _on_test_sets(self) -> Iterator[Task]:
        yield from (task for task in self.tasks if task.component and task.data and self._row(task)[0])

    def _definition(self, step: str, quantity: str = "") -> str:
        """What is measured of which models on which data, whatever it is called and whatever came out."""
        return self._once(f"{step}.{quantity}", lambda: self._defined(step, quantity))

    def _defined(self, step: str, quantity: str) -> str:
        task = next(task for task in self.tasks if task.name == step)
        inputs = {
            parameter: {label: self._definition(step_of(text), quantity_of(text)) for label, text in labelled.items()}
            for parameter, labelled in task.references.items()
        }
        files = {str(place): found for place, found in file_digests(task.files, self.project.folder).items()}
        seed = self.project.definition.seed if "seed" in task.step.roles.values() else None
        told = {name: value for name, value in task.parameters.items() if name != "answered_by"}
        return digest([task.step.name, told, inputs, files, seed, self._on(task), quantity])

    def _on(self, task: Task) -> Any:
        if not (task.component and task.data):
            return None
        rows = how_read(self.project.definition, task.component, task.data)["data"]
        named = {name: self.components.data_digest(task.component, data) for name, data in task.named.items()}
        data = self._row(task)[0] or self.components.data_digest(task.component, task.data)
        return [data, self._row(task)[1], rows["groups"], rows["attributes"], named]

    def _row(self, task: Task) -> tuple[str, str]:
        """The fingerprint of the rows, empty where they have no labels, and what the model is known by."""
        component, data = task.component or "", task.data or ""
        if task.name in self.aside:
            return "", ""
        return self._once(f"{component}.{data} row", lambda: self._identified(task, component, data))

    def _identified(self, task: Task, component: str, data: str) -> tuple[str, str]:
        """Equal answers on the test rows do not make two models equal, so that a model is known by its files.

        Where only scores are known they stand for the model, together with the name of the component.
        """
        read = how_read(self.project.definition, component, data)
        rows, scores = self._kept(task, component, data, read)
        identity = self.components.identity(component, data)
        if identity is None:
            return rows, digest([scores, component])
        how = {key: (read["model"] or {}).get(key) for key in ("method", "output")}
        return rows, digest([identity.digest, how, read["classes"]])

    def _kept(self, task: Task, component: str, data: str, params: Mapping[str, Any]) -> tuple[str, str]:
        """The fingerprint of rows, and of the scores they bring, kept in the store so that it needs no rows."""
        key = Provenance("rows", params, (), {"data": self.components.data_digest(component, data)}).key
        kept = self.components.store.get(key)
        if kept is None:
            tested = "tested" in task.step.roles.values()
            rows = self.components.tested(component, data) if tested else self.components.data(component, data)
            brought = self.components.identity(component, data) is None
            scores = _brought(rows) if brought else ""
            small = self.components.inputs_are_small(component, data) and not brought
            found = fingerprint(rows if small else replace(rows, inputs=None)) or ""
            kept = Evidence((), {"rows": Table(("fingerprint", "scores"), ((found, scores),))})
            self.components.store.put(key, kept, step=f"fingerprint of {component}.{data}")
        known, known_scores = kept.tables["rows"].rows[0]
        return str(known), str(known_scores)


def _brought(rows: Tested | Data) -> str:
    """Digest of scores; of other tasks also of how wrong each answer is, because many answers are right alike."""
    if rows.scores is None or not isinstance(rows, Tested) or rows.classifies:
        return "" if rows.scores is None else array_digest(rows.scores)
    return digest([array_digest(part) for part in (rows.scores, rows.losses, rows.errors) if part is not None])


def _asked(target: Target) -> dict[str, Any]:
    unsure = {} if target.uncertainty is None else {"uncertainty": target.uncertainty.to_dict()}
    said = {"relation": target.relation, "limit": target.limit, "level": target.level, "per": target.per}
    said |= {"unit": target.unit} if target.unit else {}
    return said | {"kinds": list(target.kinds)} | unsure


def _target(asked: Mapping[str, Any]) -> Target:
    side = "at_most" if asked["relation"] == "at most" else "at_least"
    unsure = Distribution.from_dict(asked["uncertainty"]) if "uncertainty" in asked else None
    return Target(
        **{side: asked["limit"]}, level=asked["level"], per=asked["per"], unit=asked.get("unit", ""), uncertainty=unsure
    )


# What makes a test set the same test set, whatever file it lies in, in whatever order, of whatever number type.

MULTIPLIERS_SEED = 1
CHUNK = 1 << 16


def fingerprint(rows: Tested | Data) -> str | None:
    """Digest of labelled rows; None where there are no labels.

    Rows with inputs are recognised in any order. Rows that were scored elsewhere are recognised by their labels in
    order, or by what else is true of them, because their scores change with the model.
    """
    if rows.labels is None:
        return None
    labels = rows.labels.astype(np.uint64)
    inputs = rows.inputs.marks().view(np.float64) if isinstance(rows.inputs, Frame) else rows.inputs
    if inputs is None or inputs.dtype.kind not in "biuf":
        return (rows.truth if isinstance(rows, Tested) else "") or array_digest(labels)
    starts = range(0, len(labels), CHUNK)
    hashes = np.concatenate([_row_hashes(inputs[i : i + CHUNK], labels[i : i + CHUNK]) for i in starts])
    return hashlib.sha256(np.sort(hashes).astype("<u8").tobytes()).hexdigest()


def _row_hashes(inputs: NDArray[Any], labels: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """A sum of products with fixed random odd numbers, modulo 2**64, for each row (multilinear hashing)."""
    words = np.ascontiguousarray(inputs.reshape(len(inputs), -1), dtype="<f8").view("<u8")
    factors = np.random.default_rng(MULTIPLIERS_SEED).integers(0, 2**63, words.shape[1] + 1, dtype=np.uint64) * 2 + 1
    mixed = words ^ (words >> np.uint64(29))
    return np.asarray(mixed @ factors[1:] + labels * factors[0])
