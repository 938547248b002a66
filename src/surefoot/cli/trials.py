"""``surefoot trials``: how many tests a target needs, and what given tests show."""

from __future__ import annotations

import math
from typing import Annotated

import typer

from surefoot.cli.console import say, table
from surefoot.cli.numbers import share

USUAL_FAILURES = (0, 1, 2, 5)
ROUNDING = 1e-9
POWERS = (0.5, 0.8, 0.95)
BEFOREHAND = "Decide on the number of tests before the first one, and do not test until it looks good."


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
    rate: Annotated[
        str | None, typer.Option("--rate", metavar="R", help="Failure rate that I expect, below P: plan for it.")
    ] = None,
) -> None:
    """Say how many tests I need.

    With --at-most: the smallest number of independent tests that shows the failure probability to be at most P.
    With --rate too: how many show it with 50, 80 and 95% probability if tests fail at rate R; with --tests N,
    how probably those N do. With --tests alone: the failure probability that N tests with K failures show. All rest on
    the exact binomial bound (Clopper and Pearson, 1934), for a number of tests that was fixed beforehand.
    """
    limit = None if at_most is None else share(at_most, "--at-most", "0.05")
    confidence = share(level, "--level", "0.95")
    if rate is not None:
        if limit is None or failures is not None:
            raise typer.BadParameter("--rate plans tests: give --at-most with it, and no --failures")
        _show_power(limit, share(rate, "--rate", "0.01"), tests, level=confidence)
    elif tests is not None:
        _show_bound(tests, failures or 0, level=confidence, at_most=limit)
    elif limit is not None:
        _show_needed(limit, level=confidence, failures=USUAL_FAILURES if failures is None else (failures,))
    else:
        raise typer.BadParameter("give --at-most, --tests, or both")


def _show_needed(at_most: float, *, level: float, failures: tuple[int, ...]) -> None:
    from surefoot.bounds import Demonstration, trials_needed

    rows = []
    for count in failures:
        test = Demonstration.of(trials_needed(at_most, level=level, failures=count), count, at_most / 2)
        rows.append((f"{count:,}", f"{test.trials:,}", _percent(test.power), _percent(test.power_at(at_most / 10))))
    head = ("failures seen", "tests needed", f"passed at {at_most / 2:.4g}", f"passed at {at_most / 10:.4g}")
    say(f"To show a failure probability of at most {at_most:g} at level {level:g}:\n")
    table(head, rows, right=head)
    say(f"\nPassed: how probably, if tests really fail at that rate. --rate plans for yours.\n{BEFOREHAND}")
    _say_first_look(level)


def _show_power(at_most: float, rate: float, tests: int | None, *, level: float) -> None:
    from surefoot.bounds import demonstration
    from surefoot.documents import counted

    claim = f"a failure probability of at most {at_most:g} at level {level:g}"
    if tests is not None:
        found = demonstration(at_most, rate=rate, trials=tests, level=level)
        allowed = counted(found.failures, "failure")
        power = f"probability {_percent(found.power)} if they fail at a rate of {rate:g}"
        say(f"{tests:,} tests show {claim} with at most {allowed}: {power}.")
        return
    plans = [demonstration(at_most, rate=rate, power=power, level=level) for power in POWERS]
    head = ("probability", "tests", "failures allowed")
    rows = [
        (_percent(power), f"{each.trials:,}", f"{each.failures:,}") for power, each in zip(POWERS, plans, strict=True)
    ]
    say(f"To show {claim}, if tests fail at a rate of {rate:g}:\n")
    table(head, rows, right=head)
    say(f"\n{BEFOREHAND}")
    _say_first_look(level)


def _say_first_look(level: float) -> None:
    from surefoot.project.looks import corrected_level

    first = corrected_level(level, 1)
    say(f"A project judges the first look at a test set at level {first:g}, to cover later ones: plan with that.")


def _percent(probability: float) -> str:
    """Rounded down: nothing becomes certain."""
    return f"{math.floor(100 * probability + ROUNDING)}%"


def _show_bound(tests: int, failures: int, *, level: float, at_most: float | None) -> None:
    from surefoot.bounds import clopper_pearson
    from surefoot.core import Target
    from surefoot.documents import counted

    found = clopper_pearson(failures, tests, level=level)
    seen = f"{counted(failures, 'failure')} in {tests:,} tests"
    say(f"{seen}: failure probability at most {found.upper(level):.4g} at level {level:g}.")
    if at_most is not None:
        verdict = found.meets(Target(at_most=at_most, level=level))
        say(f"Target of at most {at_most:g}: {verdict.status}.")
