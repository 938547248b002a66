"""How often the new tests that advice asks for show a target: where it is not true, and where it is.

Usage: python -m benchmarks.coverage_advice [--repetitions 20000] [--seed 0]

For counts the first tests are drawn, and where they do not show the target the new tests for 80% are run once. Beside
it what advice must not ask for: adding tests without end to the first ones, as many as would do without a failure.
For means and margins the sizes are approximate; the last table says what they come to.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np
from rich.console import Console
from rich.table import Table
from scipy import stats

from surefoot import bounds
from surefoot.bounds import clopper_pearson, demonstration, fresh_tests, trials_needed
from surefoot.core import Estimate, Target
from surefoot.core.validate import FloatArray

LEVEL = 0.95
LIMITS = (0.2, 0.05, 0.01, 1e-3)
FIRST = (0.5, 1.5, 4.0)
"""First tests, as multiples of those that show the limit without a failure."""
ROUNDS = 20
PRESENT = 105
ANY_KIND = ("confidence", "heuristic", "expectation")


@cache
def advised(failures: int, trials: int, limit: float, row: int) -> tuple[int, int] | None:
    """Tests and allowed failures of a row of the plan; None where no number does, or the target is shown."""
    table = fresh_tests(clopper_pearson(failures, trials, level=LEVEL), Target(at_most=limit, level=LEVEL))
    return None if table is None or table.rows[row][3] is None else (table.rows[row][3], table.rows[row][4])


def worst_false_alarm() -> tuple[int, float]:
    """How many plans there are, and the largest probability to pass at the limit over the miss probability; exact."""
    found = [
        demonstration(limit, rate=share * limit, power=power, level=level).power_at(limit) / (1 - level)
        for limit in (0.9, 0.5, *LIMITS, 1e-5, 1e-7)
        for share in (0.0, 0.1, 0.5, 0.75, 0.9)
        for power in (0.1, 0.5, 0.8, 0.95, 0.99)
        for level in (0.8, 0.9, 0.95, 0.99, 0.999)
    ]
    return len(found), max(found)


def new_tests(truth: float, limit: float, trials: int, repetitions: int, rng: np.random.Generator) -> tuple[float, ...]:
    """Shares that are shown by the first tests, else by the new ones; and by adding to the first until it works."""
    first = rng.binomial(trials, truth, repetitions)
    most = max((k for k in range(trials) if stats.beta.ppf(LEVEL, k + 1, trials - k) <= limit), default=-1)
    shown, asked, passed = first <= most, 0, 0
    for failures in first[~shown].tolist():
        plan = advised(failures, trials, limit, 1) or advised(failures, trials, limit, 4)
        if plan is not None:
            asked, passed = asked + 1, passed + int(rng.binomial(plan[0], truth) <= plan[1])
    return float(shown.mean()), passed / asked, float(_added(first, trials, truth, limit, rng).mean())


def _added(first: FloatArray, trials: int, truth: float, limit: float, rng: np.random.Generator) -> FloatArray:
    """Whether it is shown at some time, where tests are added as if none of them failed, up to so many rounds."""
    needed = np.array([trials_needed(limit, level=LEVEL, failures=k) for k in range(int(first.max()) + 1)])
    failures, total, shown = first.copy(), np.full(first.size, trials), np.zeros(first.size, dtype=bool)
    for _ in range(ROUNDS):
        if failures.max() >= needed.size:
            more = range(needed.size, int(failures.max()) + 1)
            needed = np.append(needed, [trials_needed(limit, level=LEVEL, failures=k) for k in more])
        shown |= total >= needed[failures]
        added = np.where(shown, 0, np.maximum(needed[failures] - total, 0))
        failures, total = failures + rng.binomial(added, truth), total + added
    return shown


BOUNDED = ("hoeffding", "empirical_bernstein", "normal_approximation", "betting")
MARGINS = ("normal_exact", "normal_score")


@dataclass(frozen=True)
class Outcomes:
    """Outcomes of tests by their quantiles, the methods that bound their mean, and a limit above it."""

    name: str
    quantiles: Callable[[FloatArray], FloatArray]
    limit: float
    methods: tuple[str, ...] = BOUNDED

    def typical(self) -> FloatArray:
        """As many as make the plan, spread as they are on average."""
        return self.quantiles((np.arange(PRESENT) + 0.5) / PRESENT)


OUTCOMES = (
    Outcomes("beta losses", stats.beta(1, 20).ppf, 0.052),
    Outcomes("losses of 0 and 1", lambda q: (q > 20 / 21).astype(float), 0.07),
    Outcomes("normal margins", stats.norm(1.668, 1).ppf, 0.07, MARGINS),
)


def bound(method: str, values: FloatArray) -> Estimate:
    """The bound by its name."""
    options = {"check": False} if method.startswith("normal_") and method != "normal_approximation" else {}
    level = {} if method == "normal_score" else {"level": LEVEL}
    return getattr(bounds, method)(values, **options, **level)


def approximate(repetitions: int, rng: np.random.Generator) -> Iterator[tuple[str, ...]]:
    """For each method the share of new sets that show the target, of the sizes that are told for 50, 80 and 95%."""
    for outcomes in OUTCOMES:
        target = Target(at_most=outcomes.limit, level=LEVEL, kinds=ANY_KIND)
        for method in outcomes.methods:
            plan = fresh_tests(bound(method, outcomes.typical()), target)
            assert plan is not None
            for row in plan.rows[:3]:
                new = (outcomes.quantiles(rng.random(row[3])) for _ in range(repetitions))
                share = np.mean([bool(bound(method, values).meets(target)) for values in new])
                yield outcomes.name, method, f"{row[2]:.0%}", f"{row[3]:,}", f"{share:.2f}"


def main() -> None:
    """Repeat, count, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repetitions", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    rng, console = np.random.default_rng(options.seed), Console(width=200)
    console.print("{} plans: at most {:.6f} of the miss probability at the limit".format(*worst_false_alarm()))
    table = Table(
        "limit", "true rate", "first tests", "shown by them", "by new tests, if not", "by adding until it works"
    )
    for limit in LIMITS:
        for share in (1.0, 0.5):
            for multiple in FIRST:
                trials = int(multiple * trials_needed(limit, level=LEVEL))
                found = new_tests(share * limit, limit, trials, options.repetitions, rng)
                table.add_row(f"{limit:g}", f"{share * limit:g}", f"{trials:,}", *(f"{each:.4f}" for each in found))
    console.print(table)
    sizes = Table("outcomes", "method", "probability", "new tests, about", "share that shows it")
    for row in approximate(max(options.repetitions // 100, 20), rng):
        sizes.add_row(*row)
    console.print(sizes)


if __name__ == "__main__":
    main()
