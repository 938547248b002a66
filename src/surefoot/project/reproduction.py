"""Whether results come out again: a recorded one computed anew from its files, and what moved since the last.

``verify`` assesses the project of a recorded result from nothing but its files. The lock file holds keys, digests,
values and versions of the last assessment, so that CI can say what moved.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from surefoot.core import Diagnostic, DiagnosticsError, Evidence, InvalidInput, canonical_json, digest, validate
from surefoot.core.target import present
from surefoot.documents import json, write_atomically
from surefoot.project.definition import IN_MEMORY
from surefoot.project.looks import Ledger, Place, fixed_share, judged
from surefoot.project.plan import quantity_of, step_of
from surefoot.project.project import Project, from_data
from surefoot.project.result import Answer, Result, in_present_words
from surefoot.project.runner import Listener, run_anew

ABSENT = "absent"


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


@validate.arguments
def verify(recorded: Mapping[str, Any], *, folder: Path, progress: Listener | None = None) -> tuple[Comparison, ...]:
    """Assess the recorded project anew, from nothing but its files, and compare everything but dates and pictures.

    The numbers of looks cannot be computed again and are taken as recorded; what earlier assessments asked is not
    compared.

    Parameters
    ----------
    recorded
        ``Result.to_dict()``, as a report embeds it.
    folder
        Where the files of the project are.
    progress
        Told what the run is doing.

    Returns
    -------
    tuple of Comparison
        Files, results, verdicts, tables, case, versions and keys, each recorded and found.

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
    >>> project = sf.project.from_data(file, folder=Path())
    >>> recorded = sf.run(project).to_dict()
    >>> all(each.same for each in sf.project.verify(recorded, folder=Path()))
    True

    """
    before = _readable(recorded)
    recorded = in_present_words(recorded)
    _require_files(recorded)
    computed = _again(before, recorded, folder, progress)
    after = computed.to_dict()
    return (
        *_compared("file", recorded["digests"], after["digests"]),
        *_compared("result", _estimates(before), _estimates(computed)),
        *_compared("verdict", _statuses(recorded), _statuses(after)),
        *_compared("answer", _answers(recorded), _answers(after)),
        *_compared("table", _tables(recorded, recorded), _tables(after, recorded)),
        *_compared("case", {"": digest(recorded["case"])}, {"": digest(after["case"])}),
        *(_compared("confidence in", _confidence(recorded), _confidence(after)) if "confidence" in recorded else ()),
        *_compared("version", recorded["versions"], after["versions"], matters=False),
        *_compared("key of", recorded["keys"], after["keys"], matters=False),
    )


def _readable(recorded: Mapping[str, Any]) -> Result:
    try:
        return Result.from_dict(recorded)
    except InvalidInput as error:
        raise DiagnosticsError.of(
            "file-unreadable", f"the recorded result is damaged: {error}", hint="Use the file as it was written."
        ) from error


def _require_files(recorded: Mapping[str, Any]) -> None:
    """Objects that were in memory when the result was computed are gone."""
    if f'"callable":"{IN_MEMORY}:' in canonical_json(recorded["definition"]):
        raise DiagnosticsError.of(
            "file-missing",
            "a model or data set was an object in memory, so the result cannot be computed again.",
            hint="Assess from files to get a result that others can verify.",
        )


def _again(before: Result, recorded: Mapping[str, Any], folder: Path, progress: Listener | None) -> Result:
    """The project run from nothing, each target with the place among all looks that was recorded."""
    project = from_data(recorded["definition"], folder=folder)
    known = {answer.name: answer for answer in before.answers}

    def judge(ledger: Ledger, evidence: Mapping[str, Evidence]) -> dict[str, Place]:
        return {
            name: _place(known[name], evidence, adaptive=ledger.adaptive) if name in known else place
            for name, place in ledger.record(evidence).items()
        }

    return run_anew(project, judge, progress)


def _place(answer: Answer, evidence: Mapping[str, Evidence], *, adaptive: bool) -> Place:
    if not adaptive or answer.corrected_level is None:
        return Place(answer.looks, fixed_share(answer.looks))
    share = (1 - answer.corrected_level) / (1 - answer.target.level)
    estimate = evidence[step_of(answer.reference)][quantity_of(answer.reference)]
    return judged(Place(answer.looks, share), estimate, answer.target)


def _confidence(result: Mapping[str, Any]) -> dict[str, str]:
    return {identity: " ".join(map(str, found)) for identity, found in result["confidence"].items()}


def _estimates(result: Result) -> dict[str, str]:
    return {
        f"{step}.{estimate.reference}": _shown(estimate.to_dict())
        for step, evidence in result.evidence.items()
        for estimate in evidence.estimates
    }


def _shown(estimate: Mapping[str, Any]) -> str:
    """The value for people, and a digest of all the rest."""
    rest = digest({name: value for name, value in estimate.items() if name != "provenance"})
    return f"{estimate['value']:.12g} ({rest[:12]})"


def _statuses(result: Mapping[str, Any]) -> dict[str, str]:
    return {answer["name"]: answer["verdict"]["status"] for answer in result["answers"]}


def _answers(result: Mapping[str, Any]) -> dict[str, str]:
    return {answer["name"]: _answer(answer) for answer in result["answers"]}


def _answer(answer: Mapping[str, Any]) -> str:
    rest = {name: value for name, value in answer.items() if name not in ("estimate", "previous")}
    return f"{answer['verdict']['text']} ({digest([rest, _shown(answer['estimate'])])[:12]})"


def _tables(result: Mapping[str, Any], recorded: Mapping[str, Any]) -> dict[str, str]:
    """Tables as far as they were recorded: a page keeps their first rows."""
    found = {}
    for step, evidence in result["evidence"].items():
        for name, table in evidence["tables"].items():
            kept = recorded["evidence"].get(step, {}).get("tables", {}).get(name, {"rows": []})
            found[f"{step}.{name}"] = digest([table["columns"], table["rows"][: len(kept["rows"])]])[:12]
    return found


def _compared(
    what: str, before: Mapping[str, str], after: Mapping[str, str], *, matters: bool = True
) -> list[Comparison]:
    return [
        Comparison(f"{what} {name}".strip(), before.get(name, ABSENT), after.get(name, ABSENT), matters)
        for name in dict.fromkeys([*before, *after])
    ]


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
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DiagnosticsError.of(
            "file-unreadable", f"this is no lock file ({error}).", where=str(path), hint="Delete it and assess again."
        ) from error
    if not known:
        raise DiagnosticsError.of(
            "unsupported-version", f"lock file of version {content['lock']}", where=str(path), hint="Upgrade Surefoot."
        )
    verdicts = {name: present(status) for name, status in content.get("verdicts", {}).items()}
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
