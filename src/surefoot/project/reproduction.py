"""Whether results come out again: a recorded one computed anew from a project here, and what moved since the last.

``verify`` holds a recorded result against a project: its file, models and data say what is computed, the record never
does. The lock file holds keys, digests, values and versions of the last assessment, so that CI can say what moved.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from surefoot.core import Diagnostic, DiagnosticsError, Evidence, InvalidInput, canonical_json, digest, validate
from surefoot.core.canonical import reading
from surefoot.core.target import present
from surefoot.documents import json, listed, write_atomically
from surefoot.project.definition import IN_MEMORY
from surefoot.project.inputs import is_code
from surefoot.project.looks import ADAPTIVE, Ledger, Place, adaptive_share, fixed_share, judged
from surefoot.project.plan import Task, plan, quantity_of, step_of
from surefoot.project.project import Project
from surefoot.project.result import RESULT_VERSION, Answer, Result, in_present_words
from surefoot.project.runner import Listener, run_anew

ABSENT = "absent"
STATED = {
    "created": "when it was assessed",
    "looks": "how often test data had been looked at, and what was asked then, which only the store knows",
    "iterations": "the history of the project, which only the store knows",
}
"""What a report says and files cannot confirm; ``history`` names the last of the iterations."""
OTHER_VERSIONS = "pictures, keys and how much of long tables is shown, because versions of libraries differ"
FORMER = "confidence, which a report of a former version does not hold"
FEWEST_ROWS = 5
"""A page holds that many rows of a table at least."""
MOST_NAMED, MOST_LOOKS = 4, 10**9


@dataclass(frozen=True)
class Comparison:
    """One thing that was recorded, and what was found when it was computed again.

    See Also
    --------
    verify : Compares a recorded result.

    """

    what: str
    recorded: str
    found: str
    matters: bool = True
    """Versions of libraries and keys may differ as long as the numbers agree."""

    @property
    def same(self) -> bool:
        """Whether they agree."""
        return self.recorded == self.found


@dataclass(frozen=True)
class Verification:
    """What of a recorded result was compared with a project, and what was not, with the reason.

    See Also
    --------
    verify : Makes it, with an example.

    """

    comparisons: tuple[Comparison, ...]
    not_compared: tuple[str, ...]
    """What is taken as the report says it."""
    not_computed: Mapping[str, str]
    """Steps whose results were taken as recorded, each with the code that it would have run."""
    result: Result
    """What was found here, with what is taken as the report says it."""

    @property
    def different(self) -> tuple[Comparison, ...]:
        """What does not agree."""
        return tuple(each for each in self.comparisons if not each.same)

    @property
    def reproduced(self) -> bool:
        """Whether all that matters agrees."""
        return not any(each.matters for each in self.different)


@validate.arguments
def verify(
    recorded: Mapping[str, Any],
    project: Project,
    *,
    code: bool = True,
    form: Callable[[Result], Mapping[str, Any]] | None = None,
    progress: Listener | None = None,
) -> Verification:
    """Assess a project from nothing but its files, and compare a recorded result with that.

    The project alone says what is computed: its definition, its models and data, and the code it trusts. Nothing that
    the record names is opened or run. Everything is compared but what ``Verification.not_compared`` lists.

    Parameters
    ----------
    recorded
        ``Result.to_dict()``, as a report embeds it.
    project
        The one that the record is held against.
    code
        Whether code of the project may run. Without it, steps that need a model in Python, a pickle or a function of
        the project keep what was recorded, and everything else is computed, also what rests on them.
    form
        How the record was made of a result: ``Result.to_dict`` by default, something else for the data of a page.
    progress
        Told what the run is doing.

    Returns
    -------
    Verification
        Definition, files, results, verdicts, tables, figures, case, versions and keys, each recorded and found.

    Raises
    ------
    DiagnosticsError
        Where the record is damaged, or a model or data set was an object in memory.

    Examples
    --------
    >>> from pathlib import Path
    >>> import surefoot as sf
    >>> by = {"name": "A. Berg", "date": "2026-05-01", "reason": "No log has more."}
    >>> said = {"step": "stated", "quantity": "demand rate", "value": 0.01, "source": "logs", "answered_by": by}
    >>> asked = {"estimate": "demands.demand rate", "at_most": 0.02}
    >>> file = {"version": 1, "system": {"name": "gate"}, "evidence": {"demands": said}, "targets": {"rare": asked}}
    >>> recorded = sf.run(sf.project.from_data(file, folder=Path())).to_dict()
    >>> sf.project.verify(recorded, sf.project.from_data(file, folder=Path())).reproduced
    True
    >>> file["targets"]["rare"]["at_most"] = 0.002
    >>> strict = sf.project.from_data(file, folder=Path())
    >>> sf.project.verify(recorded, strict).different[0]
    Comparison(what='definition targets.rare.at_most', recorded='0.02', found='0.002', matters=True)

    """
    with _damage_told():
        before = _readable(recorded)
        former = recorded["version"] != RESULT_VERSION
        recorded = in_present_words(recorded)
    _require_files(recorded)
    aside = {} if code else needing_code(project)
    told = _as_told(_again(before, project, aside, progress), before)
    with _damage_told():
        return _held_against(told, recorded, project, aside, form if code and not former else None, former=former)


def _held_against(
    told: Result,
    recorded: Mapping[str, Any],
    project: Project,
    aside: Mapping[str, str],
    form: Callable[[Result], Mapping[str, Any]] | None,
    *,
    former: bool,
) -> Verification:
    """What was recorded against what was found."""
    alike = _versions_alike(recorded, told, aside)
    whole = alike and not aside and not former
    after = form(told) if form and whole else told.to_dict()
    comparisons = (
        *_leaves_compared("definition", recorded["definition"], after["definition"]),
        *_texts_compared("file", _files(recorded, project, aside), _files(after, project, aside)),
        *_evidence_compared(recorded, after, aside, alike=alike, whole=whole),
        *_texts_compared("verdict", _statuses(recorded), _statuses(after)),
        *_units("answer ", _answers(recorded), _answers(after), _told_answer),
        *_compared("order", _order(recorded), _order(after)),
        *_compared("case", recorded["case"], after["case"]),
        *(() if former else _units("confidence in ", recorded["confidence"], after["confidence"])),
        *_rest_compared(recorded, after, former=former, whole=whole),
        *_texts_compared("version", recorded["versions"], after["versions"], matters=False),
        *_texts_compared("key of", recorded["keys"], after["keys"], matters=alike),
    )
    left = [*STATED.values(), *([] if alike else [OTHER_VERSIONS]), *([FORMER] if former else [])]
    return Verification(comparisons, tuple(left), aside, told)


@contextmanager
def _damage_told() -> Iterator[None]:
    try:
        with reading("result"):
            yield
    except InvalidInput as error:
        raise DiagnosticsError.of(
            "file-unreadable", f"the recorded result is damaged: {error}", hint="Use the file as it was written."
        ) from error


def _readable(recorded: Mapping[str, Any]) -> Result:
    """The result, where everything in it is of the kind that results are of."""
    json.dumps(recorded).encode()
    if not isinstance(recorded["definition"], Mapping):
        raise InvalidInput("a definition is a mapping", found=type(recorded["definition"]).__name__)
    found = Result.from_dict(recorded)
    for answer in found.answers:
        if type(answer.looks) is not int or not 1 <= answer.looks < MOST_LOOKS:
            raise InvalidInput("a look has a number from 1 up", found=str(answer.looks)[:80])
        if answer.corrected_level is not None:
            validate.level(answer.corrected_level, where="corrected level")
    texts = (answer.name for answer in found.answers)
    said = (text for each in found.evidence.values() for a in each.assumptions for text in (a.id, a.text, a.scope))
    if not all(isinstance(text, str) for text in (*texts, *said)):
        raise InvalidInput("a name or a text is none")
    return found


def _require_files(recorded: Mapping[str, Any]) -> None:
    """Objects that were in memory when the result was computed are gone."""
    if f'"callable":"{IN_MEMORY}:' in canonical_json(recorded["definition"]):
        raise DiagnosticsError.of(
            "file-missing",
            "a model or data set was an object in memory, so the result cannot be computed again.",
            hint="Assess from files to get a result that others can verify.",
        )


# What of a project runs code of its own, or code that a file holds.


def needing_code(project: Project) -> dict[str, str]:
    """Steps that run code of the project or of a pickle, each with that code.

    Steps that only take results of such steps are none of them.
    """
    return {task.name: listed(names) for task in plan(project) if (names := list(_code_of(task, project)))}


def _code_of(task: Task, project: Project) -> Iterator[str]:
    yield from (text for text in task.files.values() if is_code(text))
    if task.component:
        component = project.definition.components[task.component]
        yield from dict.fromkeys(component.code)
        names = dict.fromkeys((task.data, *task.named.values()))
        yield from (code for name in names if name and (code := component.data[name].callable))


# The project run from nothing, each target with the place among all looks that was recorded.


def _again(before: Result, project: Project, aside: Mapping[str, str], progress: Listener | None) -> Result:
    missing = [name for name in aside if name not in before.evidence]
    if missing:
        text = f"the report has no results of {listed(missing)}, which need code."
        raise DiagnosticsError.of("not-assessed", text, hint="Verify with code, where you trust the project's folder.")
    if aside and project.definition.looks == ADAPTIVE:
        text = f"the report withholds the results of {listed(aside)} (looks: adaptive), which code alone can give."
        raise DiagnosticsError.of("code-refused", text, hint="Leave --no-code out, where you trust the folder.")
    known = {answer.name: answer for answer in before.answers}
    asked = project.definition.all_targets

    def judge(ledger: Ledger, evidence: Mapping[str, Evidence]) -> dict[str, Place]:
        found = ledger.record(evidence)
        unseen = [name for name, each in known.items() if name in asked and name not in found and aside]
        counted = [name for name in unseen if known[name].corrected_level is not None]
        return {
            name: _place(known[name], asked[name].estimate, evidence, adaptive=ledger.adaptive)
            if name in known
            else found[name]
            for name in (*found, *counted)
        }

    given = {name: before.evidence[name] for name in aside}
    digests = {name: before.digests.get(name, ABSENT) for name in _made_by_code(project, aside)}
    # Without code, what the record holds goes into what is computed, and may be of any kind.
    with _damage_told() if aside else nullcontext():
        return run_anew(project, judge, progress, given=given, digests=digests)


def _made_by_code(project: Project, aside: Mapping[str, str]) -> list[str]:
    """Data sets that only code could tell apart, where no code may run."""
    components = project.definition.components.items() if aside else ()
    return [f"{name}.{data}" for name, each in components for data, source in each.data.items() if source.callable]


def _place(answer: Answer, reference: str, evidence: Mapping[str, Evidence], *, adaptive: bool) -> Place:
    """Its number as recorded; of what it may spend, no more than any look with that number does."""
    if not adaptive or answer.corrected_level is None:
        return Place(answer.looks, fixed_share(answer.looks))
    stated = (1 - answer.corrected_level) / (1 - answer.target.level)
    estimate = evidence[step_of(reference)][quantity_of(reference)]
    return judged(Place(answer.looks, min(stated, adaptive_share(answer.looks, met=0))), estimate, answer.target)


def _as_told(found: Result, before: Result) -> Result:
    """With what no file can confirm as the record says it."""
    said = {answer.name: answer.previous for answer in before.answers}
    answers = tuple(replace(each, previous=said.get(each.name, "")) for each in found.answers)
    stated = {name: getattr(before, name) for name in ("created", "looks", "iterations", "history")}
    return replace(found, answers=answers, **stated)


def _versions_alike(recorded: Mapping[str, Any], told: Result, aside: Mapping[str, str]) -> bool:
    """Whether the record states the versions of libraries that are here."""
    steps = [name for name in told.evidence if name not in aside and name in recorded["evidence"]]
    return dict(recorded["versions"]) == dict(told.versions) and all(
        recorded["evidence"][name]["provenance"]["versions"] == dict(told.evidence[name].provenance.versions)
        for name in steps
    )


# What is compared, by name; each difference is told as the keys that lead to it, with both values.

Keys = tuple[str, ...]
EMPTY: Mapping[str, Any] = {"estimates": [], "assumptions": [], "tables": {}, "artefacts": {}, "provenance": {}}
OF_CODE = ("inputs", "versions")
"""What a key knows of the code that computed, and that other versions of libraries change."""
COMPARED = {"definition", "digests", "evidence", "answers", "case", "confidence", "versions", "keys"}
ASIDE = {"version", "shared", "history"}


def _files(result: Mapping[str, Any], project: Project, aside: Mapping[str, str]) -> dict[str, Any]:
    unknown = _made_by_code(project, aside)
    return {name: found for name, found in result["digests"].items() if name not in unknown}


def _evidence_compared(
    recorded: Mapping[str, Any], after: Mapping[str, Any], aside: Mapping[str, str], *, alike: bool, whole: bool
) -> Iterator[Comparison]:
    """Results, assumptions, tables and figures of steps that were computed, and where those of every step come from."""
    before, here = recorded["evidence"], after["evidence"]
    for step in dict.fromkeys([*before, *here]):
        old, new = before.get(step, EMPTY), here.get(step, EMPTY)
        if step not in aside:
            tables = new["tables"] if whole else _cut_alike(new["tables"], old["tables"])
            drawn, figures = (each["artefacts"] if whole else _figures(each) for each in (old, new))
            told, assumptions = (_by("id", each["assumptions"]) for each in (old, new))
            yield from _units(f"result {step}.", _estimates(old), _estimates(new), _value)
            yield from _units(f"assumption of {step}: ", told, assumptions)
            yield from _units(f"table {step}.", old["tables"], tables)
            yield from _units(f"figure {step}.", drawn, figures, matters=alike)
        yield from _compared(f"origin of {step}", *(list(_origins(each, code=False)) for each in (old, new)))
        if step not in aside:
            codes = (list(_origins(each, code=True)) for each in (old, new))
            yield from _compared(f"code and inputs of {step}", *codes, matters=alike)


def _estimates(evidence: Mapping[str, Any]) -> dict[str, Any]:
    named = (
        {"of": f"{each['quantity']}[{each['scope']}]" if each["scope"] else each["quantity"], **each}
        for each in evidence["estimates"]
    )
    return _by("of", [{name: value for name, value in each.items() if name != "provenance"} for each in named])


def _value(estimate: Mapping[str, Any]) -> str:
    return f"{estimate['value']:.12g}"


def _origins(evidence: Mapping[str, Any], *, code: bool) -> Iterator[dict[str, Any]]:
    for origin in (evidence["provenance"], *(each["provenance"] for each in evidence["estimates"])):
        yield {name: value for name, value in origin.items() if (name in OF_CODE) == code}


def _cut_alike(tables: Mapping[str, Any], kept: Mapping[str, Any]) -> dict[str, Any]:
    """Tables with as many rows as were recorded, as a page keeps their first ones."""
    return {name: _cut(table, kept.get(name, table)) for name, table in tables.items()}


def _cut(table: Mapping[str, Any], kept: Mapping[str, Any]) -> dict[str, Any]:
    rows, most = table["rows"], len(kept["rows"])
    if "left_out" not in kept or not FEWEST_ROWS <= most < len(rows):
        return dict(table)
    return {**table, "rows": rows[:most], "left_out": len(rows) - most}


def _figures(evidence: Mapping[str, Any]) -> dict[str, Any]:
    """The digests of figures, whether they were recorded whole or left out."""
    return {
        name: each["left_out"]["digest"] if "left_out" in each else digest(each)
        for name, each in evidence["artefacts"].items()
    }


def _statuses(result: Mapping[str, Any]) -> dict[str, Any]:
    return {name: answer["verdict"]["status"] for name, answer in _by("name", result["answers"]).items()}


def _answers(result: Mapping[str, Any]) -> dict[str, Any]:
    """Code and inputs of the estimate that is asked about are compared with the evidence."""
    found = _by("name", result["answers"])
    return {name: {**each, "estimate": _without_code(each["estimate"])} for name, each in found.items()}


def _without_code(estimate: Mapping[str, Any]) -> dict[str, Any]:
    origin = {name: value for name, value in estimate["provenance"].items() if name not in OF_CODE}
    return {**estimate, "provenance": origin}


def _told_answer(answer: Mapping[str, Any]) -> str:
    return str(answer["verdict"]["text"])


def _order(result: Mapping[str, Any]) -> list[Any]:
    return [list(result["evidence"]), [answer["name"] for answer in result["answers"]]]


def _rest_compared(
    recorded: Mapping[str, Any], after: Mapping[str, Any], *, former: bool, whole: bool
) -> Iterator[Comparison]:
    """Whatever else the record has: headline, caveats, what operation brought, control of the document, the page."""
    beside = {*COMPARED, *STATED, *ASIDE, *(() if whole else ("page",)), *(("document",) if former else ())}
    for name in dict.fromkeys([*recorded, *after]):
        if name not in beside and not (former and name not in recorded):
            there = (found.get(name, ABSENT) for found in (recorded, after))
            yield from _compared(name, *there)


def _by(key: str, items: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Items by name; one that comes twice is counted, so that none hides behind another."""
    seen: Counter[str] = Counter()
    found = {}
    for item in items:
        name = str(item[key])
        seen[name] += 1
        found[f"{name} ({seen[name]})" if seen[name] > 1 else name] = item
    return found


def _units(
    prefix: str,
    before: Mapping[str, Any],
    after: Mapping[str, Any],
    shown: Callable[[Any], str] | None = None,
    *,
    matters: bool = True,
) -> Iterator[Comparison]:
    """Each thing of two mappings, with what is shown of it first."""
    for name in dict.fromkeys([*before, *after]):
        there = (found.get(name, ABSENT) for found in (before, after))
        yield from _compared(f"{prefix}{name}", *there, shown=shown, matters=matters)


def _compared(
    what: str, before: Any, after: Any, *, shown: Callable[[Any], str] | None = None, matters: bool = True
) -> Iterator[Comparison]:
    """Two things as one comparison, which names the first parts that differ."""
    if digest([before]) == digest([after]):
        same = shown(after) if shown else digest([after])[:12]
        yield Comparison(what, same, same, matters)
        return
    different = list(_parts_that_differ(before, after))
    sides = []
    for side, whole in enumerate((before, after)):
        named = [f"{_dotted(each[0])} {each[1 + side]}".strip() for each in different[:MOST_NAMED]]
        more = [f"{len(different) - MOST_NAMED} more"] if len(different) > MOST_NAMED else []
        first = [shown(whole)] if shown and whole != ABSENT else []
        sides.append(ABSENT if isinstance(whole, str) and whole == ABSENT else "; ".join([*first, *named, *more]))
    yield Comparison(what, sides[0], sides[1], matters)


def _leaves_compared(what: str, before: Any, after: Any) -> Iterator[Comparison]:
    """Every part by itself, so that each difference has a line of its own."""
    old, new = dict(_leaves(before)), dict(_leaves(after))
    for keys in dict.fromkeys([*old, *new]):
        yield Comparison(f"{what} {_dotted(keys)}", old.get(keys, ABSENT), new.get(keys, ABSENT))


def _parts_that_differ(before: Any, after: Any) -> Iterator[tuple[Keys, str, str]]:
    old, new = dict(_leaves(before)), dict(_leaves(after))
    for keys in dict.fromkeys([*old, *new]):
        if old.get(keys) != new.get(keys):
            yield keys, old.get(keys, ABSENT), new.get(keys, ABSENT)


def _leaves(value: Any, keys: Keys = ()) -> Iterator[tuple[Keys, str]]:
    """Each value inside with the keys that lead there; numbers of 12 digits, letters that look alike told apart."""
    listing = isinstance(value, list | tuple)
    inside = value.items() if isinstance(value, Mapping) else list(enumerate(value)) if listing else ()
    if not inside:
        yield keys, json.dumps(json.loads(canonical_json(value)), ensure_ascii=True)
    for key, item in inside:
        yield from _leaves(item, (*keys, json.dumps(key, ensure_ascii=True)))


def _dotted(keys: Keys) -> str:
    return ".".join(key.strip('"') for key in keys)


def _texts_compared(
    what: str, before: Mapping[str, str], after: Mapping[str, str], *, matters: bool = True
) -> Iterator[Comparison]:
    for name in dict.fromkeys([*before, *after]):
        yield Comparison(f"{what} {name}", before.get(name, ABSENT), after.get(name, ABSENT), matters)


# The lock file.

SUFFIX = ".lock"
LOCK_VERSION = 2
FORMER_VERSION = 1
"""The same with other words for the states of verdicts."""
SECTIONS = ("verdicts", "targets", "values", "digests", "versions", "keys")


@validate.arguments
def lock_path(project: Project) -> Path:
    """The lock file of a project file: ``surefoot.lock`` beside ``surefoot.yaml``.

    Parameters
    ----------
    project
        One that has a file.

    Returns
    -------
    Path
        Whether it is there or not.

    See Also
    --------
    write_lock, read_lock, moved

    """
    if project.path is None:
        raise InvalidInput("a project without a file has no lock file", where="lock_path")
    return project.folder / Path(project.path.name).with_suffix(SUFFIX)


@validate.arguments
def write_lock(result: Result, path: Path) -> Path:
    """Write the lock file of a result; the same result gives the same bytes.

    Parameters
    ----------
    result
        What was found.
    path
        Where to write, whole or not at all.

    Returns
    -------
    Path
        The same.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from pathlib import Path
    >>> import surefoot as sf
    >>> by = {"name": "A. Berg", "date": "2026-05-01", "reason": "No log has more."}
    >>> said = {"step": "stated", "quantity": "demand rate", "value": 0.01, "source": "logs", "answered_by": by}
    >>> asked = {"estimate": "demands.demand rate", "at_most": 0.02}
    >>> file = {"version": 1, "system": {"name": "gate"}, "evidence": {"demands": said}, "targets": {"rare": asked}}
    >>> project = sf.project.from_data(file, folder=Path())
    >>> result = sf.run(project)
    >>> with TemporaryDirectory() as folder:
    ...     locked = sf.project.read_lock(sf.project.write_lock(result, Path(folder, "surefoot.lock")))
    >>> locked["verdicts"], sf.project.moved(locked, result)
    ({'rare': 'met'}, [])

    """
    text = json.dumps(_content(result), indent=2, sort_keys=True) + "\n"
    write_atomically(path, text.encode())
    return path


@validate.arguments
def read_lock(path: Path) -> Mapping[str, Any] | None:
    """The content of a lock file.

    Parameters
    ----------
    path
        The file.

    Returns
    -------
    Mapping or None
        Verdicts, targets, values, digests, versions and keys; None where there is no file.

    Raises
    ------
    DiagnosticsError
        Where it is no lock file, or one of a newer version.

    See Also
    --------
    write_lock : Writes one.

    """
    if not path.exists():
        return None
    try:
        content = json.loads(path.read_bytes())
        known = content["lock"] in (LOCK_VERSION, FORMER_VERSION)
        verdicts = {name: present(status) for name, status in content.get("verdicts", {}).items()}
        if not all(isinstance(content.get(section, {}), dict) for section in SECTIONS):
            raise ValueError("a section of it is no mapping")
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise DiagnosticsError.of(
            "file-unreadable", f"this is no lock file ({error}).", where=str(path), hint="Delete it and assess again."
        ) from error
    if not known:
        raise DiagnosticsError.of(
            "unsupported-version", f"lock file of version {content['lock']}", where=str(path), hint="Upgrade Surefoot."
        )
    return {**content, "verdicts": verdicts}


@validate.arguments
def moved(locked: Mapping[str, Any], result: Result) -> list[Diagnostic]:
    """What differs from the lock file, most telling first.

    Parameters
    ----------
    locked
        What ``read_lock`` gave.
    result
        What was found now.

    Returns
    -------
    list of Diagnostic
        A warning for each difference.

    See Also
    --------
    write_lock : Writes the lock file.

    """
    now = _content(result)
    return [
        Diagnostic("moved", f"{name} was {_told(old)} and is {_told(new)}.", "warning", section)
        for section in SECTIONS
        for name, old, new in _differences(locked.get(section, {}), now[section])
    ]


def _differences(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    for name in sorted({*old, *new}):
        if old.get(name) != new.get(name):
            yield name, old.get(name), new.get(name)


def _told(value: Any) -> str:
    if value is None:
        return "absent"
    return f"{value[:12]}..." if isinstance(value, str) and len(value) == 64 else str(value)


def _content(result: Result) -> dict[str, Any]:
    values = {
        f"{step}.{estimate.reference}": float(f"{estimate.value:.12g}")
        for step, evidence in result.evidence.items()
        for estimate in evidence.estimates
    }
    return {
        "lock": LOCK_VERSION,
        "verdicts": {answer.name: answer.verdict.status for answer in result.answers},
        "targets": {answer.name: str(answer.target) for answer in result.answers},
        "values": values,
        "digests": dict(result.digests),
        "versions": dict(result.versions),
        "keys": dict(result.keys),
    }
