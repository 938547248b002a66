"""Whether a recorded result can be computed again from the files that are here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from surefoot.core import DiagnosticsError
from surefoot.core.canonical import digest
from surefoot.project.checking import from_data
from surefoot.project.definition import IN_MEMORY
from surefoot.project.result import Result
from surefoot.project.runner import Listener, run
from surefoot.project.store import Store


@dataclass(frozen=True)
class Comparison:
    """One thing that was recorded, and what was found."""

    what: str
    recorded: str
    found: str
    matters: bool = True
    """Versions of libraries may differ as long as the numbers agree."""

    @property
    def same(self) -> bool:
        """Whether they agree."""
        return self.recorded == self.found


def verify(recorded: Mapping[str, Any], *, folder: Path, progress: Listener | None = None) -> tuple[Comparison, ...]:
    """Assess the recorded project anew, from nothing but its files, and compare.

    ``recorded`` is ``Result.to_dict()`` as a report embeds it. Pictures are left out of the comparison.
    """
    _require_files(recorded)
    project = from_data(recorded["definition"], folder=folder)
    result = run(project, store=Store.open(None), progress=progress)
    return (
        *_files(recorded, result),
        *_numbers(recorded, result),
        *_verdicts(recorded, result),
        *_versions(recorded, result),
    )


def _require_files(recorded: Mapping[str, Any]) -> None:
    """Objects that were in memory when the result was computed are gone."""
    for name, component in recorded["definition"]["components"].items():
        for title, source in {"model": component.get("model") or {}, **component["data"]}.items():
            if str(source.get("callable", "")).startswith(f"{IN_MEMORY}:"):
                raise DiagnosticsError.of(
                    "file-missing",
                    f"{name}.{title} was an object in memory, so the result cannot be computed again",
                    hint="Assess from files to get a result that others can verify.",
                )


def _files(recorded: Mapping[str, Any], result: Result) -> list[Comparison]:
    return _compared("file", recorded["digests"], result.digests)


def _numbers(recorded: Mapping[str, Any], result: Result) -> list[Comparison]:
    return _compared("result", _estimates(recorded["evidence"]), _estimates(result.to_dict()["evidence"]))


def _verdicts(recorded: Mapping[str, Any], result: Result) -> list[Comparison]:
    before = {answer["name"]: answer["verdict"]["status"] for answer in recorded["answers"]}
    return _compared("verdict", before, {name: verdict.status for name, verdict in result.verdicts.items()})


def _versions(recorded: Mapping[str, Any], result: Result) -> list[Comparison]:
    return _compared("version", recorded["versions"], result.versions, matters=False)


def _estimates(evidence: Mapping[str, Any]) -> dict[str, str]:
    return {
        f"{step}.{estimate['quantity']}{f'[{scope}]' if (scope := estimate['scope']) else ''}": digest(
            {name: value for name, value in estimate.items() if name != "provenance"}
        )
        for step, item in evidence.items()
        for estimate in item["estimates"]
    }


def _compared(
    what: str, before: Mapping[str, str], after: Mapping[str, str], *, matters: bool = True
) -> list[Comparison]:
    return [
        Comparison(f"{what} {name}", before.get(name, "absent"), after.get(name, "absent"), matters)
        for name in dict.fromkeys([*before, *after])
    ]
