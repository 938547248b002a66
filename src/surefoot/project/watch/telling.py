"""Where a watched stream stands, in words and in figures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from surefoot.core import Summary

if TYPE_CHECKING:
    from surefoot.project.watch.claims import ClaimWatch
    from surefoot.project.watch.watch import Watch

MOST_NAMED = 3


def summary_of(watch: Watch) -> Summary:
    """A line for each thing that is watched."""
    rows = [("rows", f"{watch.rows:,} ({watch.labelled:,} with a label)")]
    for name, found in watch.conditions.found.items():
        said = f"first in row {found.first:,}, a share of {found.share:.3g}" if found.outside else "so far it holds"
        rows.append((name, f"{found.outside:,} of {found.rows:,} rows outside; {said}"))
    rows.append(("profile", _profile(watch)))
    rows += [(f"claim {claim.name}", _claim(claim)) for claim in watch.claims]
    rows.append(("claims fallen", ", ".join(watch.fallen) or "none"))
    rows += [("not watched", text) for text in watch.unwatched]
    return Summary(f"{watch.component} in operation, at level {watch.level:g}", rows)


def figures_of(watch: Watch) -> dict[str, Any]:
    """The same as plain data."""
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
        return f"no change found in {profile.rows:,} rows {against}, evidence of one {profile.value:.2g}"
    return f"changed {against} since about row {profile.since:,}, noticed at {profile.row:,}. {profile.what_moved()}"


def _claim(claim: ClaimWatch) -> str:
    found = claim.figures()
    tests = f"tests {found['tests']:.3g}" + (
        "" if found["tests at most"] is None else f", at most {found['tests at most']:.3g}"
    )
    if not claim.exposure:
        rows = f"no labelled rows{'' if claim.of is None else f' of {claim.of}'}"
        return f"{rows}; asked at most {found['limit']:g}; {tests}"
    verdict = "so far not contradicted" if claim.row is None else f"contradicted at row {claim.row:,}"
    return (
        f"{claim.failures:,} failures in {claim.exposure:,} rows, {found['share']:.3g}, at this look between "
        f"{found['at least']:.2g} and {found['at most']:.2g}; asked at most {found['limit']:g}; {tests}; {verdict}"
    )
