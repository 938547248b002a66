"""How often checks of independence fire where rows are independent and where they are not, and what bounds then hold.

Usage: python -m benchmarks.coverage_checks [copies | bursts | sequences | guessed | blocks | strata ...]
       [--repetitions 400]

``copies``: tables of independent rows, and tables with copied ones. ``bursts``: failures in random order, in bursts of
5 and of 20, and of a Markov chain. ``sequences`` and ``guessed``: how often upper limits miss the failure
probability of such rows. ``blocks``: the same where blocks of a sequence are groups, with neighbours taken for
independent and with what holds where bursts cross their edges.
``strata``: intervals of a monitor's figures where the share of threats is fixed.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from surefoot.bounds import (
    clopper_pearson,
    distant_rows,
    duplicates,
    grouped,
    normal_exact,
    one_of_each_group,
    sequence,
    serial_dependence,
)
from surefoot.bounds.closed_form import ChernoffBound
from surefoot.monitors import Outcomes, evaluate
from surefoot.monitors.returns.classification import threats

Rng = np.random.Generator
Make = Callable[[Rng, int], NDArray[Any]]
LEVEL = 0.95


def _binary(rng: Rng, n: int) -> NDArray[Any]:
    return rng.integers(0, 2, (n, 6)).astype(float)


def _one_hot(rng: Rng, n: int) -> NDArray[Any]:
    return np.concatenate([np.eye(3)[rng.integers(0, 3, n)] for _ in range(4)], axis=1)


def _rows_at_rest(rng: Rng, n: int) -> NDArray[Any]:
    rows = rng.normal(size=(n, 4))
    rows[rng.random(n) < 0.03] = 0
    return rows


def _mixture(rng: Rng, n: int) -> NDArray[Any]:
    rows, settings = rng.normal(size=(n, 3)), rng.random(n) < 0.5
    rows[settings] = rng.integers(0, 2, (int(settings.sum()), 3))
    return rows


def _person(rng: Rng, n: int) -> NDArray[Any]:
    income = (rng.lognormal(10, 0.5, n) / 1000).round() * 1000
    return np.stack([rng.integers(18, 90, n), income, rng.integers(0, 2, n), rng.integers(0, 5, n)], axis=1)


def _square(rng: Rng, n: int) -> NDArray[Any]:
    x = rng.normal(size=(n, 1)).round(2)
    return np.hstack([x, x**2])


def _pixels(rng: Rng, n: int) -> NDArray[Any]:
    mix = np.random.default_rng(1).normal(size=(8, 64))
    return np.asarray(np.clip(rng.normal(size=(n, 8)) @ mix * 40 + 128, 0, 255).round())


def _normal(columns: int) -> Make:
    return lambda rng, n: rng.normal(size=(n, columns))


INDEPENDENT: dict[str, Make] = {
    "six binary columns": _binary,
    "one feature with two decimals": lambda rng, n: rng.normal(size=(n, 1)).round(2),
    "lognormal, two decimals": lambda rng, n: rng.lognormal(size=(n, 1)).round(2),
    "3% at rest, one feature": lambda rng, n: np.where(rng.random((n, 1)) < 0.03, 0, rng.normal(size=(n, 1))),
    "3% at rest, four features": _rows_at_rest,
    "half settings, half continuous": _mixture,
    "one-hot, four times three": _one_hot,
    "counts (Poisson 5), three columns": lambda rng, n: rng.poisson(5, (n, 3)).astype(float),
    "logarithms of counts": lambda rng, n: np.log(rng.poisson(200, (n, 1))),
    "age, income, sex, region": _person,
    "a value and its square": _square,
    "words": lambda rng, n: np.array([f"w{k}" for k in rng.integers(0, 300, n)])[:, None],
    "continuous": _normal(3),
}


def _with_copies(make: Make, share: float = 0.05) -> Make:
    def table(rng: Rng, n: int) -> NDArray[Any]:
        rows = make(rng, n)
        again = rng.choice(n, int(share * n), replace=False)
        return np.concatenate([rows, rows[again]])[rng.permutation(n + again.size)]

    return table


def _twice(make: Make) -> Make:
    return lambda rng, n: np.tile(make(rng, n // 2), (2, 1))


COPIED: dict[str, Make] = {
    "continuous, 1 column, 5% copied": _with_copies(_normal(1)),
    "continuous, 20 columns, 5% copied": _with_copies(_normal(20)),
    "six binary and two continuous columns, 5% copied": _with_copies(
        lambda rng, n: np.hstack([_binary(rng, n), rng.normal(size=(n, 2))])
    ),
    "8-bit pixels, 5% copied": _with_copies(_pixels),
    "three columns of two decimals, 5% copied": _with_copies(lambda rng, n: rng.normal(size=(n, 3)).round(2)),
    "six binary columns, all rows twice": _twice(_binary),
    "two decimals, all rows twice": _twice(lambda rng, n: rng.normal(size=(n, 1)).round(2)),
    "n / 5 continuous rows, n drawn of them": lambda rng, n: rng.normal(size=(n // 5, 3))[rng.integers(0, n // 5, n)],
    "each row 30 times": lambda rng, n: np.repeat(rng.normal(size=(max(n // 30, 2), 3)), 30, axis=0),
    "one feature with two decimals, 5% copied": _with_copies(lambda rng, n: rng.normal(size=(n, 1)).round(2)),
}


def copies(repetitions: int) -> None:
    """Share of tables whose independence is contradicted."""
    sizes = (60, 200, 1000, 5000)
    print("| rows | " + " | ".join(f"n = {n:,}" for n in sizes) + " |")
    print("| --- |" + " --- |" * len(sizes))
    for name, make in (INDEPENDENT | COPIED).items():
        rng, shares = np.random.default_rng(3), []
        for n in sizes:
            found = [duplicates(make(rng, n)).status == "contradicted" for _ in range(repetitions)]
            shares.append(f"{np.mean(found):.3f}")
        print(f"| {name} | " + " | ".join(shares) + " |", flush=True)


def bursts(length: int) -> Callable[[Rng, int, float], NDArray[np.bool_]]:
    """Failures with probability p a row in bursts of so many rows, which may overlap."""

    def failures(rng: Rng, n: int, p: float) -> NDArray[np.bool_]:
        starts = rng.random(n + length - 1) < 1 - (1 - p) ** (1 / length)
        begun = np.concatenate([[0], np.cumsum(starts)])
        return np.asarray(begun[length:] - begun[:-length] > 0)

    return failures


def chain(length: float) -> Callable[[Rng, int, float], NDArray[np.bool_]]:
    """Failures with probability p a row of a Markov chain that stays so many rows on average."""

    def failures(rng: Rng, n: int, p: float) -> NDArray[np.bool_]:
        leave = 1 / length
        enter = leave * p / (1 - p)
        failing, rows = bool(rng.random() < p), np.empty(0, dtype=bool)
        parts = []
        while len(rows) < n:
            parts.append(np.full(rng.geometric(leave if failing else enter), failing))
            rows, failing = np.concatenate([rows, parts[-1]]), not failing
        return rows[:n]

    return failures


def _alone(rng: Rng, n: int, p: float) -> NDArray[np.bool_]:
    return rng.random(n) < p


WORLDS = {
    "independent": _alone,
    "bursts of 5": bursts(5),
    "bursts of 20": bursts(20),
    "chain, mean 5": chain(5),
    "chain, mean 20": chain(20),
}


def bursts_seen(repetitions: int) -> None:
    """Share of samples whose failures are found to come in bursts, and in which failures are too few to tell."""
    print("| failures | n | p | contradicted | too few to tell |\n| --- | --- | --- | --- | --- |")
    for name, make in WORLDS.items():
        for n in (200, 1000):
            for p in (0.005, 0.02, 0.1, 0.4):
                rng = np.random.default_rng(1)
                found = [serial_dependence(make(rng, n, p)).status for _ in range(repetitions)]
                shares = (found.count(status) / repetitions for status in ("contradicted", "unchecked"))
                print(f"| {name} | {n:,} | {p} | " + " | ".join(f"{s:.3f}" for s in shares) + " |", flush=True)


STATED = {
    "independent": (20,),
    "bursts of 5": (5, 20),
    "bursts of 20": (5, 20, 50),
    "chain, mean 5": (5, 20, 50),
    "chain, mean 20": (20, 100, 200),
}


def sequences(repetitions: int) -> None:
    """Share of samples in which an upper limit lies below the failure probability, and median limits.

    With a stated block the limit depends on the number of failures alone, so each number is bounded once.
    """
    print("| failures | n | p | Clopper-Pearson | block | misses | median limit |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for name, blocks in STATED.items():
        for n in (1000, 5000):
            for p in (0.01, 0.1):
                rng = np.random.default_rng(1)
                counts = [int(WORLDS[name](rng, n, p).sum()) for _ in range(repetitions)]
                known, which = np.unique(counts, return_inverse=True)
                plain = np.array([clopper_pearson(k, n, level=LEVEL).upper(LEVEL) for k in known])[which]
                for block in blocks:
                    limits = np.array([_limit(k, n, block) for k in known.tolist()])[which]
                    figures = (
                        f"{np.mean(plain < p):.4f} | {block} | {np.mean(limits < p):.4f} | {np.median(limits):.4f}"
                    )
                    print(f"| {name} | {n:,} | {p} | {figures} |", flush=True)


def _limit(failures: int, rows: int, block: int) -> float:
    effective = rows // block
    return ChernoffBound(min(failures / (block * effective), 1.0), effective, "upper", "confidence").limit_at(LEVEL)


def guessed(repetitions: int) -> None:
    """The same with the length of a block taken from the data, and how often the checks tell."""
    print("| failures | n | p | Clopper-Pearson | not told of bursts | median block | misses | median limit |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for name, make in WORLDS.items():
        for n, p in ((1000, 0.01), (1000, 0.1), (3000, 0.02)):
            rng = np.random.default_rng(1)
            rows = [make(rng, n, p) for _ in range(repetitions)]
            plain = np.array([clopper_pearson(int(r.sum()), n, level=LEVEL).upper(LEVEL) for r in rows]) < p
            told = np.array([serial_dependence(r).status == "contradicted" for r in rows])
            found = [sequence(r, level=LEVEL) for r in rows]
            limits = np.array([e.upper(LEVEL) for e in found])
            block = np.median([e.details["block"] for e in found])
            figures = f"{plain.mean():.3f} | {(plain & ~told).mean():.3f} | {block:.0f} | {np.mean(limits < p):.3f}"
            print(f"| {name} | {n:,} | {p} | {figures} | {np.median(limits):.4f} |", flush=True)


BLOCK = 10
Losses = Callable[[Rng, int, float], NDArray[Any]]


def cells(draw: Losses, offset: int | None = None) -> Losses:
    """Rows in cells of one block each that have one loss, at a random phase or at one, and never that of the blocks.

    All blocks share a phase, and at that of the cells fewer of them fail.
    """

    def losses(rng: Rng, n: int, p: float) -> NDArray[Any]:
        first = int(rng.integers(1, BLOCK)) if offset is None else offset
        return np.repeat(draw(rng, n // BLOCK + 2, p), BLOCK)[first : first + n]

    return losses


def _graded(rng: Rng, n: int, p: float) -> NDArray[Any]:
    return rng.beta(0.3, 0.3 * (1 - p) / p, n)


IN_BLOCKS: dict[str, Losses] = {
    "independent": _alone,
    "a block fails, random phase": cells(_alone),
    "a block fails, across edges": cells(_alone, BLOCK // 2),
    "bursts of a block": bursts(BLOCK),
    "chain, mean half a block": chain(BLOCK / 2),
    "a block has one graded loss": cells(_graded),
}


def blocks(repetitions: int) -> None:
    """Share of samples in which a limit at 0.95 and at 0.8 lies below the truth, before and after."""
    print("| bound | losses | blocks | p | neighbours independent: 0.95, 0.8 | median | touching: 0.95, 0.8 | median |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for name, make in IN_BLOCKS.items():
        for count in (6, 30, 150):
            for p in (0.02, 0.2):
                rows = [make(np.random.default_rng((2, r)), count * BLOCK, p) for r in range(repetitions)]
                far = make(np.random.default_rng(3), 200_000 * BLOCK, p).reshape(-1, BLOCK)
                worst = float(far.max(axis=1).mean())
                asked = {"mean loss": (_by_input, p), "worst of a block": (_by_block, worst)}
                asked |= {"residual hazard": (_hazard, p), "undetected failure": (_undetected, p)}
                if name.endswith("graded loss"):
                    asked = dict(list(asked.items())[:2])
                for bound, (limits, truth) in asked.items():
                    _compared(f"{bound} | {name} | {count} | {p}", [limits(r) for r in rows], truth)
    for count in (6, 30, 150):
        for ratio in (0.5, 2.0):
            rows = [_margins(np.random.default_rng((2, r)), count * BLOCK, ratio) for r in range(repetitions)]
            limits = [_of_margins(row, seed) for seed, row in enumerate(rows)]
            _compared(
                f"normal margins | alike in a block, across edges | {count} | {ratio}", limits, stats.norm.sf(ratio)
            )


def _compared(line: str, limits: list[tuple[Any, Any]], truth: float) -> None:
    for way in (0, 1):
        ends = np.array([[pair[way].upper(level) for level in (LEVEL, 0.8)] for pair in limits])
        missed = (ends < truth - 1e-12).mean(axis=0)
        line += f" | {missed[0]:.3f}, {missed[1]:.3f} | {np.median(ends[:, 0]):.4f}"
    print(f"| {line} |", flush=True)


def _numbers(losses: NDArray[Any]) -> NDArray[np.int64]:
    return np.arange(losses.size) // BLOCK


def _by_input(losses: NDArray[Any]) -> tuple[Any, Any]:
    asked = {"level": LEVEL, "max_group_size": BLOCK}
    return tuple(grouped(losses, _numbers(losses), touching=way, **asked) for way in (False, True))  # type: ignore


def _by_block(losses: NDArray[Any]) -> tuple[Any, Any]:
    asked: dict[str, Any] = {"level": LEVEL, "per": "group"}
    return tuple(grouped(losses, _numbers(losses), touching=way, **asked) for way in (False, True))  # type: ignore


def _hazard(losses: NDArray[Any]) -> tuple[Any, Any]:
    quiet = np.zeros(losses.size, dtype=bool)
    ways = (replace(threats(losses > 0, units=_numbers(losses)), touching=way) for way in (False, True))
    return tuple(evaluate(s.under(quiet), draws=1000).residual_hazard for s in ways)  # type: ignore[return-value]


def _undetected(losses: NDArray[Any]) -> tuple[Any, Any]:
    quiet = np.zeros(losses.size, dtype=bool)
    ways = (replace(threats(losses > 0, units=_numbers(losses)), touching=way) for way in (False, True))
    return tuple(Outcomes.of(s, quiet, draws=2000).undetected_failure for s in ways)  # type: ignore[return-value]


def _margins(rng: Rng, n: int, ratio: float) -> NDArray[Any]:
    common = np.repeat(rng.normal(0, np.sqrt(0.8), n // BLOCK + 1), BLOCK)[BLOCK // 2 : BLOCK // 2 + n]
    return np.asarray(ratio + common + rng.normal(0, np.sqrt(0.2), n))


def _of_margins(margins: NDArray[Any], seed: int) -> tuple[Any, Any]:
    chosen = (
        one_of_each_group(_numbers(margins), seed=seed),
        distant_rows(np.arange(margins.size), block=BLOCK, seed=seed),
    )
    return tuple(normal_exact(margins[rows], level=LEVEL, check=False) for rows in chosen)  # type: ignore


DESIGNS: dict[str, tuple[tuple[int, ...], tuple[float, ...]]] = {
    "100 usual, 100 threats, 90% found": ((100, 100), (0.05, 0.9)),
    "500 usual, 500 threats, 99.8% found": ((500, 500), (0.05, 0.998)),
    "500 usual, 500 threats, 50% found": ((500, 500), (0.3, 0.5)),
    "100 usual, three kinds of threats": ((100, 40, 40, 20), (0.05, 0.5, 0.9, 0.99)),
}


def strata(repetitions: int) -> None:
    """Coverage and width of 95% intervals with fixed shares of threats, without strata and with them."""
    print("| design | figure | coverage | width | largest end | with strata | width | largest end | interval |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for name, (sizes, rates) in DESIGNS.items():
        kinds = np.repeat(np.arange(len(sizes)), sizes)
        chance = np.asarray(rates)[kinds]
        truth = (float(np.mean(chance * (kinds > 0))), float(np.mean(chance * (kinds == 0))))
        rng, seen = np.random.default_rng(0), []
        for _ in range(repetitions):
            returns = threats(kinds > 0).under(rng.random(kinds.size) < chance)
            both = [evaluate(returns, draws=400, **o) for o in ({}, {"strata": kinds})]  # type: ignore[arg-type]
            seen.append([[r.safety_gain, r.availability_cost] for r in both])
        for which, figure in enumerate(("safety gain", "availability cost")):
            cells = []
            for way in (0, 1):
                ends = np.array([report[way][which].interval(LEVEL) for report in seen])
                held = (ends[:, 0] <= truth[which]) & (truth[which] <= ends[:, 1])
                cells += [f"{held.mean():.4f}", f"{np.mean(ends[:, 1] - ends[:, 0]):.4f}", f"{ends[:, 1].max():.4f}"]
            method = seen[0][1][which].details["interval"]
            print(f"| {name} | {figure} | " + " | ".join(cells) + f" | {method} |", flush=True)


PARTS = {
    "copies": copies,
    "bursts": bursts_seen,
    "sequences": sequences,
    "guessed": guessed,
    "blocks": blocks,
    "strata": strata,
}


def main() -> None:
    """Print the tables that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], default=list(PARTS))
    parser.add_argument("--repetitions", type=int, default=400)
    asked = parser.parse_args()
    for part in asked.parts:
        PARTS[part](asked.repetitions)


if __name__ == "__main__":
    main()
