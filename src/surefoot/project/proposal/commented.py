"""What is known of a project so far, and the project as a file, with a comment on each section and on every guess."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from surefoot.documents import flow, scalar
from surefoot.project.checks.validation import allowing
from surefoot.project.definition.system import CLASSIFICATION

USUAL_TARGET = 0.05
"""Where nobody says what is asked for: a number to start from, called so."""
LEVEL = 0.95
TEST, OPERATION = "test", "operation"
ERRORS, SIZE = "errors", "size"
MOST_BY_CLASS = 20
WIDTH = 110
QUANTITY = "failure probability"
MULTILABEL = "multilabel"
FURTHER = {
    MULTILABEL: ("the same for each label:", "by-label: {step: binomial_bound, by: failure}"),
    "detection": (
        "the same for each kind of failure (missed, misplaced, spurious, ...); the mean share of its objects not found",
        "in an image; the measure of COCO. Each further result is a look at the test data, and looks are counted",
        "kinds: {step: binomial_bound, by: failure}",
        "share: {step: loss_bound, loss: task}",
        "precision: {step: average_precision}",
    ),
    "segmentation": (
        "the same for each class, object and edge; the mean share of wrong pixels. Each further result is a look at",
        "the test data, and looks are counted",
        "kinds: {step: binomial_bound, by: failure}",
        "pixels: {step: loss_bound, loss: task}",
    ),
    "objects": (
        "the same for each kind of failure (missed, spurious, worst object, boundary, ...); the mean share of its",
        "objects not found in an image; the measure of COCO. Each further result is a look at the test data, and looks",
        "are counted",
        "kinds: {step: binomial_bound, by: failure}",
        "share: {step: loss_bound, loss: task}",
        "precision: {step: average_precision, overlap: mAP}",
    ),
}
"""Lines that somebody may want to take in."""
ENCOUNTERS = (
    "true boxes have tracks: say late: 10 and lost: 10 (images) of the component, then count encounters with objects",
    "in-time: {step: encounter_bound, function: timing}",
    "delay: {step: encounter_bound, function: delay}",
)
HEAD = """\
# yaml-language-server: $schema=surefoot.schema.json
# A Surefoot project: what is assessed, by which evidence, against which target.
# Written by `surefoot init` from the model and the data. What it guessed is marked so: look at each such line.
# Check it with `surefoot check`, run it with `surefoot assess --html report.html`.
# Editors complete and check it while you type once `surefoot schema > surefoot.schema.json` was run here."""
STATED = "Stated to surefoot init. Name a standard, a hazard analysis or a contract here."
NOT_STATED = "A number to start from, which nobody asked for. Name a standard, a hazard analysis or a contract here."


@dataclass(frozen=True)
class Guess:
    """Something that nobody wrote: the key of the project file, its value, and why it was taken.

    See Also
    --------
    propose

    """

    key: str
    value: Any
    why: str
    certain: bool = False
    """Whether model or data say it themselves, so that it is no guess."""


@dataclass
class Draft:
    """What is known so far."""

    folder: Path
    component: str
    model: dict[str, Any] = field(default_factory=dict)
    data: dict[str, Any] = field(default_factory=dict)
    operation: dict[str, Any] = field(default_factory=dict)
    task: str = CLASSIFICATION
    classes: tuple[str, ...] = ()
    tolerance: float | None = None
    compare: str = ""
    failed: str = ""
    objects: bool = False
    """Whether each object of a segmentation has a mask of its own."""
    tracked: bool = False
    """Whether objects are followed through images, so that encounters with them can be counted."""
    odd: dict[str, list[str]] = field(default_factory=dict)
    target: float = USUAL_TARGET
    rows: int = 0
    largest_group: int = 0
    """Rows of the largest group; 0 where there are no groups."""
    classes_seen: int = 0
    has_scores: bool = False
    """Whether the component says how sure it is, and not its answer alone."""
    guesses: list[Guess] = field(default_factory=list)
    found: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)

    def guess(self, key: str, value: Any, why: str, *, certain: bool = False) -> None:
        """Take something that nobody said."""
        self.guesses.append(Guess(key, value, why, certain))

    def told(self, key: str) -> Guess | None:
        """What was taken without being said; None where somebody said it."""
        return next((guess for guess in self.guesses if guess.key == key), None)

    @property
    def system(self) -> str:
        """The name of the project's folder."""
        return self.folder.absolute().name or "system"

    @property
    def class_count(self) -> int:
        """How many classes there are."""
        return len(self.classes) or self.classes_seen

    @property
    def part(self) -> dict[str, Any]:
        """The component as the project file says it."""
        known = {
            "model": self.model,
            "task": self.task if self.task not in (CLASSIFICATION, "custom") else None,
            "tolerance": self.tolerance,
            "compare": self.compare,
            "failed": self.failed,
            "classes": list(self.classes),
        }
        data = {TEST: self.data} | ({OPERATION: self.operation} if self.operation else {})
        return {key: value for key, value in known.items() if value} | {"data": data}


def definition_of(draft: Draft) -> dict[str, Any]:
    """Everything that the project file says."""
    name = draft.system
    conditions = {"conditions": {"odd": draft.odd}} if draft.odd else {}
    said = {
        "version": 1,
        "system": {"name": name, "hazard": "Say here what may happen when the component fails."},
        **conditions,
        "components": {draft.component: draft.part},
        "evidence": evidence_of(draft),
        "targets": {
            ERRORS: {
                "claim": f"At most {draft.target:.6g} of all answers fail.",
                "estimate": f"{ERRORS}.{QUANTITY}",
                "at_most": draft.target,
                "level": LEVEL,
                "source": NOT_STATED if draft.told("target") else STATED,
            }
        },
        "case": {"claim": f"{name} meets its target on inputs like those of the test data."},
        "document": {"title": f"Safety case of {name}", "version": "0.1", "author": "Your name", "status": "draft"},
        "seed": 0,
    }
    return allowing(said, draft.folder)


def evidence_of(draft: Draft) -> dict[str, Any]:
    """The steps that fit the task."""
    groups = {"groups": "use", "max_group_size": draft.largest_group} if draft.largest_group > 1 else {}
    found: dict[str, Any] = {ERRORS: {"step": "binomial_bound", **groups}}
    if draft.task == "regression":
        found[SIZE] = {"step": "error_bound", "share": LEVEL}
    if draft.operation and draft.task == CLASSIFICATION:
        strata = {} if draft.has_scores else {"strata": "prediction"}
        found[OPERATION] = {"step": "stratified_bound", "operation": OPERATION, **strata}
    return found


def file_text(draft: Draft) -> str:
    """The project file."""
    said = definition_of(draft)
    sections = [
        [HEAD, "version: 1"],
        _system(said),
        _conditions(draft, said),
        _components(draft),
        _evidence(draft, said),
        _targets(draft, said),
        _case(said),
        _document(said),
        ["# Everything random follows from this number, so that a run can be repeated.", "seed: 0"],
    ]
    if "allow_outside" in said:
        text = "# Folders outside this one that files may lie in; nothing else outside is opened."
        sections.append([text, f"allow_outside: {flow(said['allow_outside'])}"])
    return "\n\n".join("\n".join(lines) for lines in sections) + "\n"


def _system(said: Mapping[str, Any]) -> list[str]:
    return [
        "# What the component is part of, and the event that must stay rare: write both.",
        "system:",
        *_entries(said["system"], 1),
    ]


def _conditions(draft: Draft, said: Mapping[str, Any]) -> list[str]:
    lines = [
        "# The contract under which every number below holds. An assumption with a column of `attributes` is checked:",
        "#   assumptions:",
        "#     - {id: adult, text: Patients are adults., column: age, at_least: 18}",
    ]
    if "conditions" not in said:
        return [*lines, "conditions: {}"]
    return [
        *lines,
        "conditions:",
        f"  # {_guessed(draft, 'odd')}",
        "  odd:                                  # the operational design domain: each dimension with its values",
        *_entries(draft.odd, 2),
    ]


def _components(draft: Draft) -> list[str]:
    part = draft.part
    model = part.get("model")
    lines = ["# The learned component: its model, its data, its task.", "components:", f"  {draft.component}:"]
    if model is None:
        lines.append("    # no model: the data bring what was answered")
    elif set(model) == {"path"} and ":" not in model["path"]:
        lines.append(f"    model: {scalar(model['path'])}")
    elif set(model) == {"callable"}:
        lines.append(f"    model: {model['callable']}")
    else:
        note = "types that the file holds beside those that skops trusts: do you know where it comes from?"
        if model.get("trust") == "pickle":
            note = "reading a pickle runs whatever code it holds: do you know where it comes from?"
        notes = {"trust": note, "detector": _guessed(draft, "detector")}
        lines += ["    model:", *_entries(model, 3, notes)]
    for key in ("task", "tolerance", "compare", "failed"):
        if key in part:
            lines += [*_note(draft, key, 2), f"    {key}: {flow(part[key])}"]
    lines += ["    data:", f"      {TEST}:                             # rows the model has never seen"]
    lines += _entries(draft.data, 4, {key: _guessed(draft, key) for key in draft.data if draft.told(key)})
    if draft.operation:
        lines += [f"      {OPERATION}:                        # rows from operation, whose labels are not needed"]
        lines += _entries(draft.operation, 4)
    if "classes" in part:
        lines += [*_note(draft, "classes", 2), *_entries({"classes": part["classes"]}, 2)]
    return lines


def _evidence(draft: Draft, said: Mapping[str, Any]) -> list[str]:
    meant = {
        ERRORS: f"how often it fails: {_failure(draft)}",
        SIZE: "how large errors are: the limit that 95% of them stay below",
        OPERATION: "how often it fails in operation, where inputs are doubtful more or less often than in the test",
    }
    lines = ["# Each step computes evidence. `surefoot steps` lists all steps, `surefoot steps NAME` its parameters."]
    lines.append("evidence:")
    for name, step in said["evidence"].items():
        lines.append(f"  # {meant[name]}")
        if "max_group_size" in step and name == ERRORS:
            lines.append("  # guessed: no group in operation has more rows than the largest one here")
        lines.append(f"  {name}: {flow(step)}")
    if draft.task == CLASSIFICATION and 2 <= draft.class_count <= MOST_BY_CLASS:
        lines.append(
            "  # the same for each true class; each further result is a look at the test data, and looks are counted"
        )
        lines.append("  # by-class: {step: binomial_bound, by: class}")
    lines += [f"  # {line}" for line in FURTHER.get("objects" if draft.objects else draft.task, ())]
    if draft.tracked:
        lines += [f"  # {line}" for line in ENCOUNTERS]
    if draft.operation:
        lines.append(
            f"  # `surefoot improve --label 200 --on {OPERATION} --csv labels.csv` says which rows to label next"
        )
    return lines


def _failure(draft: Draft) -> str:
    return {
        CLASSIFICATION: "an answer other than the true class, or a tie",
        "regression": "an error above the tolerance" if draft.tolerance else "a truth outside the interval",
        "text": "a text other than the expected one",
        MULTILABEL: "any label of the row is wrong",
        "detection": "an object of the image is not found, or a box is spurious",
        "segmentation": "an object of the image is not found, or a mask is spurious"
        if draft.objects
        else "a class of the image overlaps the truth too little",
    }.get(draft.task, f"the rows that {draft.failed} marks")


def _targets(draft: Draft, said: Mapping[str, Any]) -> list[str]:
    target = said["targets"][ERRORS]
    return [
        "# What must be shown. A result is written step.quantity; a target without a source is an opinion.",
        "# Looks at test data are counted: fix model and target first, and do not repeat until it looks good.",
        "targets:",
        f"  {ERRORS}:",
        *_entries(target, 2, {"at_most": _guessed(draft, "target")} if draft.told("target") else {}),
    ]


def _case(said: Mapping[str, Any]) -> list[str]:
    text = "# The top claim of the assurance case; the rest of the case is made from targets and evidence."
    return [text, "case:", *_entries(said["case"], 1)]


def _document(said: Mapping[str, Any]) -> list[str]:
    return [
        "# The report is a controlled document: who wrote it, how it stands. Nothing of it changes a result.",
        "document:",
        *_entries(said["document"], 1),
    ]


def _note(draft: Draft, key: str, depth: int) -> list[str]:
    return [f"{'  ' * depth}# {_guessed(draft, key)}"] if draft.told(key) else []


def _guessed(draft: Draft, key: str) -> str:
    guess = draft.told(key)
    return "" if guess is None else guess.why if guess.certain else f"guessed: {guess.why}"


def _entries(part: Mapping[str, Any], depth: int, notes: Mapping[str, str] | None = None) -> Iterator[str]:
    """A line for each key, with its note above it; long lists go over several lines."""
    indent = "  " * depth
    for key, value in part.items():
        if notes and notes.get(key):
            yield f"{indent}# {notes[key]}"
        line = f"{indent}{scalar(key)}: {flow(value)}"
        if len(line) <= WIDTH or not isinstance(value, list):
            yield line
        else:
            yield from _folded(f"{indent}{scalar(key)}: [", [flow(item) for item in value])


def _folded(line: str, items: list[str]) -> Iterator[str]:
    indent = " " * len(line) if len(line) < WIDTH / 2 else "  "
    for number, item in enumerate(items):
        piece = f"{item}{']' if number == len(items) - 1 else ', '}"
        if len(line) + len(piece) > WIDTH and line.strip():
            yield line.rstrip()
            line = indent
        line += piece
    yield line
