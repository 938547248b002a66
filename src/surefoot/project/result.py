"""What an assessment found: evidence, an answer to each target, the case, and what all of it rests on."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, Self

from surefoot.case import Case, Feedback, Snapshot
from surefoot.case.formats import case_from_dict, case_to_dict
from surefoot.case.templates.builder import goal_id
from surefoot.case.templates.fragments import Offered, unattached
from surefoot.core import (
    Bound,
    BoundFamily,
    Diagnostic,
    DiagnosticsError,
    Estimate,
    Evidence,
    InvalidInput,
    Summary,
    Table,
    Target,
    Verdict,
    validate,
)
from surefoot.core.canonical import FrozenDict, FrozenMap, digest, reading, thaw, unthaw
from surefoot.core.estimate import table_html
from surefoot.core.evidence import ESTIMATE_COLUMNS, Backend
from surefoot.core.target import present
from surefoot.documents import printable
from surefoot.drawing import GREEN, GREY, INK, RED, new_axes, open_frame
from surefoot.project.definition import DocumentControl
from surefoot.project.headline import Headline, headline_of
from surefoot.project.interchange import expanded
from surefoot.project.iterations import VERDICTS, Iteration, last_two

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from surefoot.case import Evaluation
    from surefoot.project.store.register import Register

RESULT_VERSION = 4
"""Of results as data. Version 3 had everything in its place; version 2 had other words for one state."""
WHOLE_VERSION, FORMER_VERSION = 3, 2
DIGITS = 9
WIDE = 30
"""A figure whose ends differ by more has a scale of powers."""
CONTRADICTS, UNCOUNTED = "case-operation-contradicts", "case-feedback"
DISAGREE = "estimates-contradict"
OF_OPERATION = (CONTRADICTS, UNCOUNTED, "case-operation-worse")


@dataclass(frozen=True)
class Looks:
    """How many pairs of a model and a target a test set has judged.

    See Also
    --------
    corrected_level : What a further look costs.

    """

    data: str
    """``component.data set``."""
    count: int

    def __post_init__(self) -> None:
        validate.fields(self)

    def __str__(self) -> str:
        """What was counted, because two targets in a first run are two looks already."""
        return f"{self.data} was looked at {self.count} times, once for each target of a model (or result without one)"


@dataclass(frozen=True, repr=False)
class Result:
    """Everything a report shows; a plain value without links to files or processes.

    ``result["step.quantity"]`` is an estimate, ``met`` says whether all targets are met, ``evaluation`` how each claim
    of the case stands; ``to_dict`` and ``from_dict`` write and read it.

    See Also
    --------
    run : Makes results.

    Examples
    --------
    >>> from pathlib import Path
    >>> import surefoot as sf
    >>> by = {"name": "A. Berg", "date": "2026-05-01", "reason": "No log has more."}
    >>> said = {"step": "stated", "quantity": "demand rate", "value": 0.01, "source": "logs", "answered_by": by}
    >>> asked = {"estimate": "demands.demand rate", "at_most": 0.02}
    >>> file = {"version": 1, "system": {"name": "gate"}, "evidence": {"demands": said}, "targets": {"rare": asked}}
    >>> project = sf.project.from_data(file, folder=Path())
    >>> result = sf.run(project)
    >>> result
    Result('gate', 1 of 1 targets met)
    >>> print(result)
    gate
      answer  Yes, by its target: its number is met, on what is stated, and the case leaves no claim open.
      rare    met: demand rate, upper bound 0.01 (stated), target at most 0.02, on a stated value that A. Berg ...

    """

    definition: Mapping[str, Any]
    """The project as it was run, without what was left at its default."""
    evidence: Mapping[str, Evidence]
    answers: tuple[Answer, ...]
    case: Case
    keys: Mapping[str, str]
    """Key of each step."""
    digests: Mapping[str, str]
    """Digests of models and data: ``component.model``, ``component.data set``."""
    versions: Mapping[str, str]
    looks: tuple[Looks, ...] = ()
    caveats: tuple[Diagnostic, ...] = ()
    feedback: tuple[Feedback, ...] = ()
    """What operation brought since."""
    created: str = field(default="", compare=False)
    """When it was assessed; no part of the digest."""
    iterations: tuple[Iteration, ...] = field(default=(), compare=False)
    """The last iterations of the project, this one among them; no part of the digest."""
    history: str = field(default="", compare=False)
    """Hash of the last iteration in the store, which stands for all before it; no part of the digest."""
    document: DocumentControl | None = field(default=None, compare=False)
    """Control of the document that the report is: who wrote and reviewed it; no part of the digest."""

    def __post_init__(self) -> None:
        validate.fields(self)
        for name in ("definition", "keys", "digests", "versions"):
            object.__setattr__(self, name, FrozenDict(getattr(self, name)))
        object.__setattr__(self, "evidence", FrozenMap(self.evidence))
        _require_readable(self.definition)

    @property
    def met(self) -> bool:
        """Whether there are targets, every one counts as met, and operation, all of it counted, contradicts none."""
        shown = bool(self.answers) and all(answer.met for answer in self.answers)
        return shown and not (self.contradictions or self.uncounted)

    @cached_property
    def headline(self) -> Headline:
        """The answer in one line: how many numbers are met, and what the case leaves open."""
        return headline_of(self)

    @cached_property
    def unattached(self) -> tuple[str, ...]:
        """Fragments that were offered and that the case does not use; only an author's own case can leave any."""
        said = self.definition.get("case", {})
        if said.get("frame") != "own":
            return ()
        conditions = self.definition.get("conditions", {}).get("assumptions", ())
        hazard = self.definition["system"].get("hazard")
        contexts = {"hazard": hazard, "conditions": conditions, "artefacts": self.digests}
        offered = Offered(
            targets=tuple(answer.name for answer in self.answers),
            components=tuple(self.definition.get("components", ())),
            conditions=tuple(condition["id"] for condition in conditions),
            contexts=tuple(name for name, there in contexts.items() if there),
        )
        return unattached(self.case, offered, answered={answer.name: answer.reference for answer in self.answers})

    @cached_property
    def evaluation(self) -> Evaluation:
        """How each node of the case stands, how far it can be trusted, and what would raise that most."""
        return self.case.evaluate(self.evidence, feedback=self.feedback)

    @cached_property
    def register(self) -> Register:
        """Every document, data set, model, file and result, by whom it is kept, and which claims it serves."""
        from surefoot.project.store.register import register

        return register(self)

    @property
    def snapshot(self) -> Snapshot:
        """The case as it can be compared and sealed."""
        return Snapshot(
            case=self.case,
            evaluation=self.evaluation,
            evidence=self.evidence,
            digests=self.digests,
            versions=self.versions,
            targets=self.definition.get("targets", {}),
            feedback=self.feedback,
            system=str(self.definition["system"]["name"]),
            unattached=self.unattached,
            history=self._last_iteration,
        )

    @property
    def _last_iteration(self) -> dict[str, str]:
        last = self.iterations[-1].created if self.iterations else self.created
        return {"iteration": self.history, "created": last} if self.history else {}

    @property
    def operation(self) -> tuple[Diagnostic, ...]:
        """What operation has to say: claims it contradicts or warns of, and feedback that could not be counted."""
        return tuple(finding for finding in self.evaluation.findings if finding.code in OF_OPERATION)

    @property
    def contradictions(self) -> tuple[Diagnostic, ...]:
        """What operation contradicts."""
        return tuple(finding for finding in self.operation if finding.code == CONTRADICTS)

    @property
    def disagreements(self) -> tuple[Diagnostic, ...]:
        """Estimates of one quantity and scope that exclude each other, so that neither gives a verdict."""
        return tuple(finding for finding in self.caveats if finding.code == DISAGREE)

    @property
    def uncounted(self) -> tuple[Diagnostic, ...]:
        """Feedback from operation that could not be counted, so that it is not known what it would say."""
        return tuple(finding for finding in self.operation if finding.code == UNCOUNTED)

    def against(self, target: str) -> tuple[Diagnostic, ...]:
        """What keeps operation from agreeing with one target: it contradicts it, or could not be counted."""
        claim = goal_id(target)
        return tuple(each for each in (*self.contradictions, *self.uncounted) if each.where == claim)

    @property
    def doubted(self) -> dict[str, str]:
        """Targets that are met by their number, while the case does not support their claim, and why not."""
        claims = {answer.name: goal_id(answer.name) for answer in self.answers if answer.met}
        return {
            name: self.evaluation[claim].why
            for name, claim in claims.items()
            if claim in self.case and self.evaluation[claim].standing != "supported" and not self.against(name)
        }

    @property
    def verdicts(self) -> dict[str, Verdict]:
        """The verdict on each target that counts: met at this look alone is not shown."""
        return {answer.name: answer.deciding for answer in self.answers}

    @cached_property
    def judged(self) -> Mapping[str, Any]:
        """Whether it is met, and the confidence in each node of the case: what a record keeps of the evaluation.

        Known since a result was assembled or read; of one that was changed since, the case is evaluated.
        """
        return {"met": self.met, "confidence": self._confidence()}

    def evaluated(self) -> Self:
        """The result itself, once its case is evaluated."""
        _ = self.judged
        return self

    @property
    def digest(self) -> str:
        """Hash of all of it but the date and the history."""
        return digest({**self._content(), **self.judged})

    def with_iterations(self, iterations: tuple[Iteration, ...], history: str = "") -> Self:
        """The same result with another history, judged as before."""
        return self._judged_alike(iterations=iterations, history=history)

    def advised(self) -> Self:
        """The same result; of targets that operation refuted it does not say any more that tests would show them."""
        against = {finding.where: finding.text for finding in self.contradictions}
        refuted = {answer.name: against.get(goal_id(answer.name), "") for answer in self.answers}
        if not any(refuted.values()):
            return self
        return self._judged_alike(answers=tuple(answer.refuted_by(refuted[answer.name]) for answer in self.answers))

    def _judged_alike(self, **changes: Any) -> Self:
        """With what does not decide how the case stands changed."""
        changed = replace(self, **changes)
        vars(changed).update({name: vars(self)[name] for name in ("evaluation", "judged") if name in vars(self)})
        return changed

    @property
    def since(self) -> tuple[str, ...]:
        """For each target a line that compares bound and verdict with the iteration before; empty without one."""
        compared = last_two(self.iterations)
        return compared.lines() if compared else ()

    def __getitem__(self, reference: str) -> Estimate:
        """The estimate of ``step.quantity``."""
        step, _, quantity = reference.partition(".")
        if step not in self.evidence:
            raise InvalidInput(
                "no such step", where="Result", found=repr(step), remedy=f"Known: {list(self.evidence)}."
            )
        return self.evidence[step][quantity]

    def summary(self) -> Summary:
        """A line for each target, for terminal and notebook."""
        rows = [("answer", self.headline.text)] if self.answers else []
        rows += [(answer.name, f"{VERDICTS[answer.status]}: {answer.verdict.text}") for answer in self.answers]
        rows += [("contradiction", finding.text) for finding in self.disagreements]
        rows += [("operation", f"{finding.where}: {finding.text}") for finding in self.operation]
        rows += [("before", line) for line in self.since]
        return Summary(str(self.definition["system"]["name"]), rows or [("targets", "none stated")])

    def table(self, of: Literal["targets", "estimates"] = "targets", *, level: float | None = None) -> Table:
        """A row for each target, with what decides it, or for each estimate of the evidence.

        Parameters
        ----------
        of
            ``targets`` or ``estimates``.
        level
            Of the bounds of estimates; by default that of each, or 0.95.
        """
        validate.choice(of, ("targets", "estimates"), where="Result.table", name="of")
        if of == "targets":
            return Table(TARGET_COLUMNS, tuple(map(_target_row, self.answers)))
        found = {name: evidence.table(level=level) for name, evidence in self.evidence.items()}
        rows = tuple((name, *row) for name, table in found.items() for row in table.rows)
        return Table(("step", *ESTIMATE_COLUMNS), rows)

    def frame(
        self,
        of: Literal["targets", "estimates"] = "targets",
        *,
        level: float | None = None,
        backend: Backend = "pandas",
    ) -> Any:
        """``table`` as a data frame of ``pandas`` or ``polars``."""
        return self.table(of, level=level).frame(backend=backend)

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """The value and the bound of each target as multiples of its limit."""
        return plot_answers(self.answers, ax=ax)

    def __str__(self) -> str:
        return str(self.summary())

    def __repr__(self) -> str:
        met = sum(answer.met for answer in self.answers)
        return f"Result({str(self.definition['system']['name'])!r}, {met} of {len(self.answers)} targets met)"

    def _repr_html_(self) -> str:
        """Targets with their bounds, and what would be needed, for notebooks."""
        header = ("target", "asked", "shown", "margin", "verdict")
        needed = [f"{answer.name}: {sentence}" for answer in self.answers for sentence in answer.needed]
        looks = [f"{item}." for item in self.looks if item.count > 1]
        name = str(self.definition["system"]["name"])
        lines = [self.headline.text, *needed, *looks]
        return table_html(name, header, [_row(answer) for answer in self.answers], lines)

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        content = self._content()
        order = (
            "version",
            "document",
            "created",
            "met",
            "headline",
            "definition",
            "answers",
            "evidence",
            "case",
            "confidence",
        )
        known = {
            **content,
            "created": self.created,
            "met": self.met,
            "headline": self.headline.to_dict(),
            "confidence": self._confidence(),
            "iterations": [iteration.to_dict() for iteration in self.iterations],
            **({"history": self.history} if self.history else {}),
            "document": None if self.document is None else self.document.model_dump(mode="json", exclude_defaults=True),
        }
        return {name: known[name] for name in dict.fromkeys((*order, *content, *known))}

    def _content(self) -> dict[str, Any]:
        """What a result is made of, without what follows from it."""
        return {
            "version": RESULT_VERSION,
            "definition": thaw(self.definition),
            "answers": [answer.to_dict() for answer in self.answers],
            "evidence": {name: item.to_dict() for name, item in self.evidence.items()},
            "case": case_to_dict(self.case),
            "feedback": [asdict(entry) for entry in self.feedback],
            "keys": thaw(self.keys),
            "digests": thaw(self.digests),
            "versions": thaw(self.versions),
            "looks": [{"data": item.data, "count": item.count} for item in self.looks],
            "caveats": [caveat.to_dict() for caveat in self.caveats],
        }

    def _confidence(self) -> dict[str, list[Any]]:
        """For each node its standing and its confidence; computed anew when a result is read."""
        return {
            identity: [found.standing, None if found.confidence is None else round(found.confidence, DIGITS)]
            for identity, found in self.evaluation.nodes.items()
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read back what ``to_dict`` wrote, also where each thing stands in it once, as in files."""
        with reading("result"):
            data = expanded(in_present_words(data))
            if data["version"] != RESULT_VERSION:
                raise InvalidInput(f"a result of version {RESULT_VERSION} is needed", found=data["version"])
            found = cls(
                definition=unthaw(data["definition"]),
                evidence={name: Evidence.from_dict(item) for name, item in data["evidence"].items()},
                answers=tuple(Answer.from_dict(item) for item in data["answers"]),
                case=_case(data["case"]),
                keys=data["keys"],
                digests=data["digests"],
                versions=data["versions"],
                looks=tuple(Looks(**item) for item in data["looks"]),
                caveats=tuple(Diagnostic.from_dict(item) for item in data["caveats"]),
                feedback=tuple(Feedback(**item) for item in data["feedback"]),
                created=data["created"],
                iterations=tuple(Iteration.from_dict(item) for item in data.get("iterations", ())),
                history=str(data.get("history", "")),
                document=DocumentControl(**data["document"]) if data.get("document") else None,
            )
        if "met" in data and "confidence" in data:
            vars(found)["judged"] = {"met": data["met"], "confidence": data["confidence"]}
        return found


def _require_readable(definition: Mapping[str, Any]) -> None:
    """What reports read of a definition is there, of whatever version the rest may be."""
    sections = {
        name: definition.get(name, {}) for name in ("system", "conditions", "components", "evidence", "targets")
    }
    entries = [entry for name in ("components", "evidence", "targets") for entry in _values(sections[name])]
    said = sections["conditions"]
    conditions = said.get("assumptions", ()) if isinstance(said, Mapping) else ()
    readable = (
        all(isinstance(part, Mapping) for part in (*sections.values(), *entries, definition.get("case", {})))
        and all(isinstance(sections["system"].get(name, ""), str) for name in ("name", "hazard", "description"))
        and "name" in sections["system"]
        and isinstance(conditions, list | tuple)
        and all(isinstance(each, Mapping) and {"id", "text"} <= set(each) for each in conditions)
        and isinstance(said.get("odd", {}), Mapping)
    )
    if not readable:
        problem, remedy = "the definition of the project is damaged", "Use what a run gave, unchanged."
        raise InvalidInput(problem, where="Result", found=printable(dict(definition), 80), remedy=remedy)


def _values(section: Any) -> Collection[Any]:
    return section.values() if isinstance(section, Mapping) else ()


def in_present_words(data: Mapping[str, Any]) -> Mapping[str, Any]:
    """A result as ``Result.to_dict`` gives it now, from what former versions gave; others stay as they are."""
    if data["version"] not in (WHOLE_VERSION, FORMER_VERSION):
        return data
    # Opinions, which confidence replaced, are not taken over: the case is evaluated anew.
    data = {name: value for name, value in data.items() if name != "confidence"}
    if data["version"] == WHOLE_VERSION:
        return {**data, "version": RESULT_VERSION, "document": None}
    with reading("result"):
        said: dict[str, Any] = {
            "version": RESULT_VERSION,
            "document": None,
            "answers": [_present(answer) for answer in data["answers"]],
        }
        if "iterations" in data:
            said["iterations"] = [
                {**each, "targets": [_present(target) for target in each["targets"]]} for each in data["iterations"]
            ]
    return {**data, **said}


def _present(said: Mapping[str, Any]) -> dict[str, Any]:
    """With its own state and those of its verdicts in present words."""
    verdicts = {name: _present(said[name]) for name in ("verdict", "corrected") if said.get(name)}
    return {**said, "status": present(said["status"]), **verdicts}


def _case(data: Mapping[str, Any]) -> Case:
    try:
        return case_from_dict(data)
    except DiagnosticsError as error:
        raise InvalidInput(f"the case is damaged: {error}") from error


def _row(answer: Answer) -> tuple[str, ...]:
    bound = answer.verdict.bound
    margin = "" if answer.margin is None else f"{answer.margin:.3g}"
    shown = f"{bound.side} bound {bound.limit:.4g}" if bound else "nothing"
    return answer.name, str(answer.target), shown, margin, VERDICTS[answer.status]


TARGET_COLUMNS = (
    *("target", "estimate", "value", "unit", "relation", "limit", "bound", "side", "kind", "level"),
    *("verdict", "margin", "look", "this look alone", "claim", "source"),
)


def _target_row(answer: Answer) -> tuple[Any, ...]:
    """What decides a target: the bound at the level that counts, which covers all looks."""
    counting = answer.corrected or answer.verdict
    bound, target = counting.bound, answer.target
    shown = (None, None, None) if bound is None else (bound.limit, bound.side, answer.estimate.kind_of(bound))
    about = (answer.name, answer.reference, answer.estimate.value, answer.estimate.unit)
    asked = (target.relation.replace(" ", "_"), target.limit)
    rest = (told_status(answer), answer.margin, answer.looks, answer.alone, answer.claim, target.source)
    return (*about, *asked, *shown, counting.target.level, *rest)


STATUS_MARKS = {"met": GREEN, "not shown": GREY, "violated": RED}


def plot_answers(answers: Sequence[Answer], *, ax: Axes | None = None) -> Axes:
    """The value and the bound of each target as multiples of its limit, on a scale of powers where they differ much."""
    if not answers:
        raise InvalidInput("there is nothing to draw", where="Result.plot", found="no targets")
    axes = open_frame(new_axes(6.4, 1.2 + 0.4 * len(answers)) if ax is None else ax)
    drawn: list[float] = []
    for place, answer in enumerate(answers):
        (row,) = Table(TARGET_COLUMNS, (_target_row(answer),)).rows
        told = dict(zip(TARGET_COLUMNS, row, strict=True))
        known = {key: told[key] for key in ("value", "bound") if told[key] is not None and told["limit"]}
        value, bound = (known[key] / told["limit"] if key in known else None for key in ("value", "bound"))
        colour = STATUS_MARKS[told["verdict"]]
        if value is not None and bound is not None:
            axes.plot([value, bound], [place, place], color=colour, lw=1.5)
            axes.plot([bound], [place], "|", color=colour, ms=12, mew=2)
        if value is not None:
            axes.plot([value], [place], "o", color=colour, ms=5)
        drawn += [each for each in (value, bound) if each is not None]
    axes.axvline(1, color=INK, lw=0.8)
    axes.set_yticks(range(len(answers)), [f"{answer.name}: {told_status(answer)}" for answer in answers])
    axes.invert_yaxis()
    if drawn and min(drawn) > 0 and max(drawn) / min(drawn) > WIDE:
        axes.set_xscale("log")
    axes.set_xlabel("multiples of the limit: dot the value, bar the bound")
    return axes


def told_status(answer: Answer) -> str:
    """The verdict as it counts."""
    return "not shown" if answer.standing == "alone" else answer.standing


# The answer to one target.

REFUTED = (
    "Operation refuted it, and tests of the kind that were run cannot restore it, however many: find the cause in the "
    "incidents, change the component or what is claimed of it, and assess that on data that show the cause."
)
OF_ANSWER = ("name", "claim", "reference", "margin", "looks", "corrected_level", "previous")
"""Fields that are plain data."""


@dataclass(frozen=True)
class Answer:
    """A target, the estimate it asks about, and what was found: one of ``Result.answers``.

    See Also
    --------
    Result : Holds the answers.

    """

    name: str
    claim: str
    reference: str
    target: Target
    estimate: Estimate
    verdict: Verdict
    margin: float | None
    """Limit divided by bound (``at_most``), bound divided by limit (``at_least``): above 1 is good.

    Of an uncertain limit the end that the verdict compared with.
    """
    needed: tuple[str, ...] = ()
    """When the target is not met: sentences that say what would be needed."""
    looks: int = 1
    """The number of this look at the test data that the target rests on."""
    corrected_level: float | None = None
    """The level of this look, so that all looks together keep the target's level; None where no look is counted."""
    corrected: Verdict | None = None
    """The verdict at that level; None where the verdict itself was judged at it, or no bound has a level."""
    previous: str = ""
    """What earlier assessments asked of the same number, where that was something else."""
    derivation: Table | None = None
    """How the limit follows from a principle and its reference; None where the limit was stated."""
    new_tests: Table | None = None
    """When new tests could show it: how many do with which probability, for several true rates."""
    refuted: str = ""
    """What operation brought against it, where that contradicts the target."""

    def __post_init__(self) -> None:
        validate.fields(self)

    @property
    def alone(self) -> bool:
        """Met by itself, and not so that all looks are covered: for no other look but this one."""
        if self.corrected is not None:
            return bool(self.verdict) and not self.corrected
        bound = self.verdict.bound
        return bool(self.verdict) and self.looks > 1 and bound is not None and bound.kind == "expectation"

    @property
    def met(self) -> bool:
        """Whether the target counts as met: at the level that covers all looks."""
        return self.status == "met"

    @property
    def deciding(self) -> Verdict:
        """The verdict that counts."""
        return self.corrected if self.alone and self.corrected is not None else self.verdict

    @property
    def status(self) -> str:
        """The status of the verdict, or ``alone`` where it does not outlast the correction for repeated looks."""
        return "alone" if self.alone else self.verdict.status

    @property
    def standing(self) -> str:
        """The status with what operation says: violated where that refuted it, whatever the tests showed."""
        return "violated" if self.refuted else self.status

    def refuted_by(self, operation: str) -> Self:
        """The answer once operation contradicts it; as it is where that says nothing."""
        if not operation:
            return self
        return replace(self, refuted=operation, needed=(REFUTED,), new_tests=None)

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "name": self.name,
            "claim": self.claim,
            "reference": self.reference,
            "target": self.target.to_dict(),
            "estimate": self.estimate.to_dict(),
            "status": self.status,
            "verdict": _verdict_to_dict(self.verdict),
            "margin": self.margin,
            "needed": list(self.needed),
            "looks": self.looks,
            "corrected_level": self.corrected_level,
            "corrected": _verdict_to_dict(self.corrected) if self.corrected is not None else None,
            "previous": self.previous,
            **({"refuted": self.refuted} if self.refuted else {}),
            **({} if self.new_tests is None else {"new_tests": self.new_tests.to_dict()}),
            **({} if self.derivation is None else {"derivation": self.derivation.to_dict()}),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read back what ``to_dict`` wrote."""
        with reading("answer"):
            target, derivation, tests = Target.from_dict(data["target"]), data.get("derivation"), data.get("new_tests")
            corrected = data["corrected"]
            return cls(
                **{name: data[name] for name in OF_ANSWER},
                target=target,
                estimate=Estimate.from_dict(data["estimate"]),
                verdict=_verdict_from_dict(data["verdict"], target),
                needed=tuple(data["needed"]),
                refuted=data.get("refuted", ""),
                new_tests=None if tests is None else Table.from_dict(tests),
                corrected=_verdict_from_dict(corrected, target) if corrected else None,
                derivation=None if derivation is None else Table.from_dict(derivation),
            )


def _verdict_to_dict(verdict: Verdict) -> dict[str, Any]:
    bound = verdict.bound.to_dict() if verdict.bound else None
    found = {"status": verdict.status, "text": verdict.text, "bound": bound, "level": verdict.target.level}
    return found | ({"answered_by": list(verdict.answered_by)} if verdict.answered_by else {})


def _verdict_from_dict(data: Mapping[str, Any], target: Target) -> Verdict:
    bound = BoundFamily.from_dict(data["bound"]) if data["bound"] else None
    if bound is not None and not isinstance(bound, Bound):
        raise InvalidInput("a verdict holds one limit", found=type(bound).__name__)
    by = tuple(data.get("answered_by", ()))
    return Verdict(data["status"], replace(target, level=data["level"]), bound, data["text"], by)
