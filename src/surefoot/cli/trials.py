"""``surefoot trials``: how many tests a target needs, and what given tests show."""

from __future__ import annotations

from typing import Annotated

import typer

from surefoot.cli.console import say, table
from surefoot.cli.numbers import share

USUAL_FAILURES = (0, 1, 2, 5)
WORDS = {"met": "shown", "violated": "violated", "unproven": "not shown"}


def trials(
    at_most: Annotated[
        str | None, typer.Option("--at-most", metavar="P", help="Failure probability to be shown, such as 0.05.")
    ] = None,
    level: Annotated[str, typer.Option("--level", metavar="L", help="Confidence level.")] = "0.95",
    tests: Annotated[
        int | None, typer.Option("--tests", metavar="N", help="Tests run: ask what they show instead.")
    ] = None,
    failures: Annotated[
        int | None, typer.Option("--failures", metavar="K", help="Failures among them; 0 unless given.")
    ] = None,
) -> None:
    """Say how many tests I need.

    With --at-most: the smallest number of independent tests that shows the failure probability to be at most P.
    With --tests: the failure probability that N tests with K failures show. Both rest on the exact
    binomial bound (Clopper and Pearson, 1934), for a number of tests that was fixed beforehand.
    """
    limit = None if at_most is None else share(at_most, "--at-most", "0.05")
    confidence = share(level, "--level", "0.95")
    if tests is not None:
        _show_bound(tests, failures or 0, level=confidence, at_most=limit)
    elif limit is not None:
        _show_needed(limit, level=confidence, failures=USUAL_FAILURES if failures is None else (failures,))
    else:
        raise typer.BadParameter("give --at-most, --tests, or both")


def _show_needed(at_most: float, *, level: float, failures: tuple[int, ...]) -> None:
    from surefoot.bounds import trials_needed
    from surefoot.project.looks import corrected_level

    rows = [(f"{count:,}", f"{trials_needed(at_most, level=level, failures=count):,}") for count in failures]
    say(f"To show a failure probability of at most {at_most:g} at level {level:g}:\n")
    table(("failures seen", "tests needed"), rows, right=("failures seen", "tests needed"))
    say("\nDecide on the number of tests before the first one, and do not test until it looks good.")
    first = corrected_level(level, 1)
    say(f"A project judges the first look at a test set at level {first:g}, to cover later ones: plan with that.")


def _show_bound(tests: int, failures: int, *, level: float, at_most: float | None) -> None:
    from surefoot.bounds import clopper_pearson
    from surefoot.core import Target

    found = clopper_pearson(failures, tests, level=level)
    counted = f"{failures:,} failure{'' if failures == 1 else 's'} in {tests:,} tests"
    say(f"{counted}: failure probability at most {found.upper(level):.4g} at level {level:g}.")
    if at_most is not None:
        verdict = found.meets(Target(at_most=at_most, level=level))
        say(f"At most {at_most:g} is {WORDS[verdict.status]}.")
