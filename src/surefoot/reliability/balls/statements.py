"""The assumptions behind reliability from balls as data, each with what the data at hand say about it."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot import bounds
from surefoot.adapters import LoadedModel
from surefoot.adapters.answers import is_label
from surefoot.bounds.closed_form import CentralLimitBound
from surefoot.bounds.statement import FIXED_SIZE, ORDER_FIRST, approximate
from surefoot.core import Assumption, BoundFamily, Check, Diagnostic, DiagnosticsError, Estimate, Provenance, validate
from surefoot.core.bound import Side
from surefoot.core.validate import FloatArray
from surefoot.documents import counted
from surefoot.profile import representativeness
from surefoot.profile.sampling_frame import MOST_ROWS
from surefoot.reliability.balls.draws import SIDES, Drawn, VarianceParts
from surefoot.reliability.balls.frame import (
    BATCH,
    WHERE,
    Frame,
    Probes,
    answered,
    batches,
    doubtful_layout,
    finite_answers,
    probes,
    radius_against_separation,
    require_accepted_shape,
)
from surefoot.reliability.balls.limits import OperationLimits
from surefoot.reliability.cells.statements import CONTRADICTION_LEVEL, contradicted
from surefoot.reliability.rare_events.margins import saturated

REPRESENTATIVE = Assumption(
    "frame-represents-operation",
    "The rows, weighed as they are, are a random sample of what operation brings (RAM, Assumption 2).",
)
SINGLE_LABEL = Assumption(
    "single-label-balls", "All inputs in a ball have the label of its centre (Assumption 3, Remark 3)."
)
UNIFORM = Assumption(
    "uniform-inside", "Inputs are distributed uniformly inside each ball (Assumption 5).", beyond_tests=True
)
SAMPLING_DOMINATES = Assumption(
    "sampling-of-balls-dominates",
    "What is not known of risks inside and weights is small beside the sampling of balls (Assumption 7; the printed "
    "variance needs it).",
)
NORMAL = Assumption("normal-mean", "The mean over the draws is close to normally distributed.")
DETERMINISTIC = Assumption("deterministic-model", "The model answers the same input always the same.")
CHANGING = ("model-random", "model-batch-dependent")
LARGE_SHARE = 0.1
FEWEST = 30
COCHRAN = 25


@dataclass(frozen=True, eq=False)
class Examined:
    """What the checks look at."""

    frame: Frame
    drawn: Drawn
    parts: VarianceParts
    operational: NDArray[np.floating] | None
    caveats: tuple[Diagnostic, ...]
    """What the model's answers showed before."""
    seed: int


def examine(data: Examined) -> tuple[Assumption, ...]:
    """All assumptions, each with its check."""
    checks: tuple[tuple[Assumption, Callable[[Examined], Check | None]], ...] = (
        (REPRESENTATIVE, _representative),
        (SINGLE_LABEL, _single_label),
        (UNIFORM, _unchecked),
        (DETERMINISTIC, _deterministic),
        (SAMPLING_DOMINATES, _sampling_dominates),
        (NORMAL, _normal),
    )
    return tuple(replace(assumption, check=check(data)) for assumption, check in checks)


def unexamined() -> tuple[Assumption, ...]:
    """All assumptions, none of them checked."""
    return (REPRESENTATIVE, SINGLE_LABEL, UNIFORM, DETERMINISTIC, SAMPLING_DOMINATES, NORMAL)


def _representative(data: Examined) -> Check | None:
    if data.operational is None or min(len(data.operational), len(data.frame)) < 2:
        return None
    rows = data.frame.rows
    if not data.drawn.equal_weights:
        rng = np.random.default_rng(data.seed)
        rows = rows[rng.choice(len(rows), min(len(rows), MOST_ROWS), p=data.drawn.weights)]
    return representativeness(rows, data.operational, seed=data.seed)


def _single_label(data: Examined) -> Check:
    return radius_against_separation(data.frame, seed=data.seed)


def _unchecked(data: Examined) -> Check | None:
    return None


def _deterministic(data: Examined) -> Check:
    against = [caveat.text.rstrip(".") for caveat in data.caveats if caveat.code in CHANGING]
    if against:
        return Check("contradicted", "; ".join(against))
    return Check("supported", "some inputs were answered again, in other batches, and the answers agreed")


def _sampling_dominates(data: Examined) -> Check | None:
    if not data.parts.draws:
        return None
    share = data.parts.not_sampling
    words = f"risks inside and weights make {share:.1%} of the variance, the sampling of balls {1 - share:.1%}"
    figures = {name: part for name, _, part in data.parts.table().rows}
    return Check("supported" if share <= LARGE_SHARE else "contradicted", words, figures, share)


def _normal(data: Examined) -> Check:
    """Cochran (1977), 2.15: more draws than 25 times the square of the skewness."""
    sizes, values = data.drawn.sequence(flat=False)
    shifts: FloatArray = sizes * (values - np.average(values, weights=sizes))
    spread = float(np.sqrt(np.mean((shifts - shifts.mean()) ** 2)))
    skewness = float(np.mean((shifts - shifts.mean()) ** 3)) / spread**3 if spread else 0.0
    needed = max(COCHRAN * skewness**2, FEWEST)
    enough = bool(spread) and values.size >= needed
    words = f"{values.size:,} draws of skewness {skewness:.3g}; {needed:,.0f} would do"
    if not spread:
        words = f"all {values.size:,} draws found the same risk, so nothing shows how they spread"
    return Check("supported" if enough else "contradicted", words, {"draws": values.size, "skewness": skewness})


# What speaks against the numbers of an assessment in balls beside contradicted assumptions.

FEWEST_ROWS = 30
APPROXIMATE = approximate("The normal approximation", "With equal weights pmi has a limit that needs none.")
TRAINED_ON = "Rows that the model was trained on fail less often than others; use held-out rows for the balls."
TOO_MUCH_NOISE = (
    "Noise of this radius is more than operation brings: take a smaller one, or sign the tests that were counted."
)


def of_floor(value: float, least: float) -> Iterator[Diagnostic]:
    """Balls below the floor make much of the value: it falls to ``least`` without them."""
    if value - least > LARGE_SHARE * value:
        yield Diagnostic(
            "value-at-floor",
            f"balls below the floor make {1 - least / value:.0%} of the value, which counts them as if at the floor; "
            "the value is itself an upper limit.",
            hint="Lower the floor of MultilevelSplitting to find less.",
        )


def of_weights(drawn: Drawn) -> Iterator[Diagnostic]:
    """What unequal weights leave open."""
    if drawn.equal_weights:
        return
    effective = bounds.effective_weight_count(drawn.weights)
    if effective < FEWEST_ROWS:
        yield Diagnostic(
            "few-effective-rows",
            f"{drawn.balls:,} rows so weighted are worth {effective:.3g} of equal weight (Kish 1965); below "
            f"{FEWEST_ROWS} limits are not to be relied on.",
            hint="Take rows that are more like operation, or widen the bandwidth of the weights.",
        )
    yield Diagnostic(
        "weights-estimated",
        f"the largest possible weight was taken from the data: {drawn.weights.max() * drawn.balls:.3g} times the mean.",
    )


@dataclass(frozen=True)
class Compared:
    """Limits of the mean of the balls beside those of labelled inputs as they were collected, all at ``level``.

    Where inputs fail more often than their neighbours, balls do not speak of operation: its inputs are not spread like
    noise around them. Where neighbours fail more often, the number is about noise of that radius, and not about the
    inputs themselves.
    """

    balls: tuple[float, float]
    """Lower and upper limit."""
    tested: tuple[float, float]
    counts: Mapping[str, tuple[int, int]]
    """Failures and number of labelled inputs, by what they are."""
    level: float

    @property
    def caveats(self) -> tuple[Diagnostic, ...]:
        """The contradiction, whichever way it goes."""
        if not (self._tests_fail_more or self._balls_fail_more):
            return ()
        shown = " and ".join(f"{failed:,} of {n:,} {name} failed" for name, (failed, n) in self.counts.items())
        if self._tests_fail_more:
            said = f"at least {self.tested[0]:.4g} fail; the balls alone say at most {self.balls[1]:.4g}"
        else:
            said = f"at most {self.tested[1]:.4g} fail; the balls alone say at least {self.balls[0]:.4g}"
        hint = TRAINED_ON if self._tests_fail_more else TOO_MUCH_NOISE
        return (
            Diagnostic("contradicted-by-tests", f"{shown}, so {said}. Each holds at level {self.level:g}.", hint=hint),
        )

    @property
    def check(self) -> Check | None:
        """Against an even spread inside balls; neighbours that fail more often do not speak against it."""
        if not self._tests_fail_more:
            return None
        figures = {"tests_at_least": self.tested[0], "balls_at_most": self.balls[1]}
        return Check("contradicted", "inputs as they were collected fail more often than those around them", figures)

    @property
    def _tests_fail_more(self) -> bool:
        return self.balls[1] < self.tested[0]

    @property
    def _balls_fail_more(self) -> bool:
        return self.balls[0] > self.tested[1]


# The estimates of an assessment in balls, each with what it rests on and what speaks against it.

NEAR_OPERATION = "failure probability within radius r of operational inputs"
NEAR_ROWS = "failure probability within radius r of the rows"
UNASTUTENESS = "average ball unastuteness"


def scope_of_radius(radius: float) -> str:
    """What a scope says of the radius.

    >>> scope_of_radius(0.2)
    'r = 0.2'
    """
    return f"r = {radius:.4g}"


@dataclass(frozen=True, eq=False)
class Statements:
    """Everything that the estimates are made from."""

    drawn: Drawn
    variance: FloatArray
    """Of the risk of each draw."""
    below: NDArray[np.bool_]
    """Draws whose risk is known to be below the one stated, and no more."""
    parts: VarianceParts
    centres: tuple[int, int]
    """Centres of the frame that fail, and their number."""
    tests: tuple[int, int] | None
    assumptions: tuple[Assumption, ...]
    caveats: tuple[Diagnostic, ...]
    level: float
    params: Mapping[str, Any]
    seed: int

    def pmi(self) -> Estimate:
        """The failure probability near operation's inputs, which is the one to sign."""
        families = tuple(self.families(side)[self.method] for side in SIDES)
        compared = self._compared(*families)
        assumptions = self._assumptions(normal=not self.drawn.equal_weights, compared=compared)
        return Estimate(
            NEAR_OPERATION,
            self.value,
            scope=self.scope,
            bounds=families,
            assumptions=assumptions,
            caveats=(
                *compared.caveats,
                *contradicted(assumptions),
                *self.caveats,
                *of_weights(self.drawn),
                *of_floor(self.value, self._from_0.value),
                *(() if self.drawn.equal_weights else (APPROXIMATE,)),
            ),
            details={
                "method": self.method,
                "sd": math.sqrt(self.parts.of_operation),
                "rows": self.drawn.balls,
                "by_balls": self.drawn.mean()[0],
                **self._counts,
            },
            provenance=self._provenance("pmi"),
        )

    def by_balls(self) -> Estimate:
        """The weighted mean of the frame itself, with the error of the draws and of the risks inside."""
        compared = self._compared(*self._normal_of_frame)
        assumptions = self._assumptions(normal=True, compared=compared)
        return Estimate(
            NEAR_ROWS,
            self.drawn.mean()[0],
            scope=self.scope,
            bounds=self._normal_of_frame,
            assumptions=assumptions,
            caveats=(
                *compared.caveats,
                *contradicted(assumptions),
                *self.caveats,
                *of_floor(self.drawn.mean()[0], self._from_0.drawn.mean()[0]),
                APPROXIMATE,
            ),
            details={
                "sd": math.sqrt(self.parts.of_frame),
                "sd_draws": math.sqrt(self.parts.draws),
                "sd_inside": math.sqrt(self.parts.inside),
                "rows": self.drawn.balls,
                **self._counts,
            },
            provenance=self._provenance("by_balls"),
        )

    def acu(self) -> Estimate:
        """RAM, Definition 3: the mean risk of all balls of the frame, as if their weights were equal."""
        value, variance = self.drawn.flat_mean()
        least = self._from_0.drawn.flat_mean()[0]
        variance += float((self.drawn.expansion * self.variance).sum()) / self.drawn.balls**2
        return Estimate(
            UNASTUTENESS,
            value,
            unit="per ball",
            scope=self.scope,
            bounds=self._normal(value, least, variance),
            assumptions=self._assumptions(normal=True),
            caveats=(
                *contradicted(self._assumptions(normal=True)),
                *self.caveats,
                *of_floor(value, least),
                APPROXIMATE,
            ),
            details={"sd": math.sqrt(variance), **self._counts},
            provenance=self._provenance("acu"),
        )

    @cached_property
    def _operation(self) -> OperationLimits:
        return OperationLimits(self.drawn, self.parts, self.tests, self.level, self.seed)

    @cached_property
    def _from_0(self) -> Statements:
        """With 0 in balls that are below the floor, as lower limits need it."""
        if not self.below.any():
            return self
        drawn = replace(self.drawn, risk=np.where(self.below, 0.0, self.drawn.risk))
        return replace(self, drawn=drawn, below=np.zeros_like(self.below))

    @property
    def value(self) -> float:
        """The estimate of operation."""
        return self._operation.value

    @property
    def mean_of_different(self) -> bool:
        """Whether that is the mean of the different balls drawn."""
        return self._operation.mean_of_different

    @property
    def method(self) -> str:
        """The name of the limits that are signed."""
        return self._operation.signed

    def families(self, side: Side) -> dict[str, BoundFamily]:
        """Limits of operation by their names."""
        return (self if side == "upper" else self._from_0)._operation.families(side)

    @property
    def _normal_of_frame(self) -> tuple[BoundFamily, ...]:
        return self._normal(self.drawn.mean()[0], self._from_0.drawn.mean()[0], self.parts.of_frame)

    def _normal(self, value: float, least: float, variance: float) -> tuple[BoundFamily, ...]:
        draws, sd = self.drawn.risk.size, math.sqrt(variance)
        return tuple(
            CentralLimitBound(mean, sd, draws, side, "heuristic")
            for mean, side in zip((value, least), SIDES, strict=True)
        )

    @property
    def scope(self) -> str:
        """The radius, without which the numbers say nothing."""
        return scope_of_radius(self.params["radius"])

    def _assumptions(self, *, normal: bool, compared: Compared | None = None) -> tuple[Assumption, ...]:
        """What a number rests on; only the printed variance takes the sampling of balls for all there is."""
        left_out = {SAMPLING_DOMINATES.id, *(() if normal else (NORMAL.id,))}
        against = compared.check if compared else None
        kept = tuple(
            replace(a, check=against) if against and a.id == UNIFORM.id else a
            for a in self.assumptions
            if a.id not in left_out
        )
        return kept if normal else (*kept, FIXED_SIZE, *((ORDER_FIRST,) if self._operation.ordered else ()))

    @cached_property
    def tested(self) -> tuple[float, float]:
        """Limits of the failure probability at inputs as they were collected, by labelled rows.

        Centres of the frame count where its rows are operation as they are.
        """
        level = CONTRADICTION_LEVEL
        found = [bounds.clopper_pearson(*each, level=level) for each in self._labelled.values()]
        lower, upper = [e.lower(level) for e in found], [e.upper(level) for e in found]
        return max(lower, default=0.0), min(upper, default=1.0)

    @property
    def _labelled(self) -> dict[str, tuple[int, int]]:
        """Failures and number of labelled inputs, by what they are."""
        centres = {"centres": self.centres} if self.drawn.equal_weights else {}
        return {**centres, **({"held-out tests": self.tests} if self.tests else {})}

    def _compared(self, *families: BoundFamily) -> Compared:
        """Upper and lower limits from balls beside labelled inputs."""
        upper, lower = (family.limit_at(CONTRADICTION_LEVEL) for family in families)
        return Compared((lower, upper), self.tested, self._labelled, CONTRADICTION_LEVEL)

    @property
    def _counts(self) -> dict[str, Any]:
        return {
            "draws": self.drawn.risk.size,
            "balls": self.drawn.first.size,
            "centres_failing": self.centres[0],
            "level": self.level,
        }

    def _provenance(self, part: str) -> Provenance:
        return Provenance(f"reliability.assess_balls.{part}", dict(self.params), seed=self.seed)


# Whether a model answers the same input the same way, asked again or beside other inputs.

ROUNDING = 1e-4
"""Of the size of scores: more than single precision loses."""
COARSE = 1e-2
"""Of the size of scores: more than half precision, or convolutions with rounded products, lose."""
SMALL_BATCH = 37
ALONE = 4
HALF_BYTES = 2


@dataclass(frozen=True, eq=False)
class Asked:
    """A model and what it answered at some points, to be compared with what it answers later."""

    model: LoadedModel
    tried: Probes
    answers: NDArray[Any]

    def again(self, order: NDArray[np.int64], size: int) -> FloatArray:
        """Gaps to the answers that are given in that order and in batches of that size."""
        gaps = np.zeros(len(self.tried))
        for part in batches(len(order), size):
            at = order[part]
            gaps[at] = self._gaps(at, answered(self.model, self.tried.points[at]))
        return gaps

    def _gaps(self, at: NDArray[np.int64], later: NDArray[Any]) -> FloatArray:
        """Largest difference of each point's scores, relative to their size; labels are equal or not."""
        before = self.answers[at]
        if before.shape != later.shape:
            text = f"the model returned {before.shape[1:]} values a row at first, and {later.shape[1:]} later."
            raise DiagnosticsError.of("model-output", text, where=self.model.name)
        if is_label(before, self.model.returns):
            return (before != later).astype(float)
        gaps = np.abs(later.astype(float) - before).reshape(len(at), -1).max(axis=1)
        sizes = np.abs(self.answers).reshape(len(self.tried), -1).max(axis=1)
        scale = np.maximum(sizes[at], np.median(sizes))
        return np.divide(gaps, scale, out=gaps, where=scale > 0)

    @property
    def rounding(self) -> float:
        """How much of the size of scores their rounding may take."""
        module = module_of(self.model)
        weights = module.parameters() if module is not None else ()
        half = self.answers.dtype == np.float16 or any(weight.dtype.itemsize == HALF_BYTES for weight in weights)
        return COARSE if half else ROUNDING


def module_of(model: LoadedModel) -> Any:
    """The torch module behind a model, None where there is none."""
    torch = sys.modules.get("torch")
    return model.source if torch is not None and isinstance(model.source, torch.nn.Module) else None


def require_repeatable(asked: Asked, *, seed: int) -> tuple[Diagnostic, ...]:
    """Answers agree with those given again, in another order, in smaller batches and alone.

    Small differences between batches come from kernels that round coarsely: a caveat.
    """
    count = len(asked.tried)
    _require_same_twice(asked)
    order = np.random.default_rng(seed).permutation(count)
    small = max(1, min(SMALL_BATCH, count // 4))
    gaps = np.maximum(asked.again(order, small), _alone(asked, order[:ALONE]))
    worst = float(gaps.max())
    if worst > COARSE:
        found = f"answers at {int((gaps > COARSE).sum()):,} of {count:,} points change with the rest of their batch"
        raise _batch_dependent(asked, f"{found}; most for {asked.tried.place(int(gaps.argmax()))}")
    return (_coarse(asked, worst),) if worst > asked.rounding else ()


def _require_same_twice(asked: Asked) -> None:
    count = len(asked.tried)
    differing = np.flatnonzero(asked.again(np.arange(count), BATCH) > asked.rounding)
    if differing.size:
        raise DiagnosticsError.of(
            "model-random",
            f"answers at {differing.size:,} of {count:,} points change between identical calls, first for "
            f"{asked.tried.place(int(differing[0]))}.",
            where=asked.model.name,
            hint="Switch off chance inside the model: call eval() on a module that a function wraps, and give "
            "training=False to functional dropout.",
        )


def _alone(asked: Asked, numbers: NDArray[np.int64]) -> FloatArray:
    """Gaps of a few points that are asked one by one; the model must be able to answer that."""
    try:
        return asked.again(numbers, 1)
    except DiagnosticsError as error:
        found = f"batches are answered, and a single input is not: {error.diagnostics[0].text.rstrip('.')}"
        raise _batch_dependent(asked, found) from error


def _batch_dependent(asked: Asked, found: str) -> DiagnosticsError:
    return DiagnosticsError.of(
        "model-batch-dependent",
        f"{found}.",
        where=asked.model.name,
        hint="Batch normalisation must use its running statistics: call eval() on a module that a function wraps, and "
        "leave track_running_stats on.",
    )


def _coarse(asked: Asked, gap: float) -> Diagnostic:
    return Diagnostic(
        "model-batch-dependent",
        f"scores change by up to {gap:.1g} of their size with the rest of their batch.",
        where=asked.model.name,
        hint="Rounding is coarse: torch.backends.cudnn.allow_tf32 = False makes convolutions on a GPU precise.",
    )


# What must hold of a model before failures in balls mean anything, tried on the model itself.


def require_sound_model(
    model: LoadedModel,
    frame: Frame,
    *,
    answers: NDArray[Any] | None = None,
    classes: Sequence[str] = (),
    seed: int = 0,
) -> tuple[Diagnostic, ...]:
    """Raise where a model would make results wrong, and say what else is worth knowing.

    It must take inputs of this shape, give finite scores all over some balls, and answer an input the same way each
    time and in any batch. ``answers`` are those at all centres where they are at hand, ``classes`` the names of
    the model's columns.
    """
    seed = validate.seed(seed, where=WHERE)
    require_accepted_shape(model, frame)
    tried = probes(frame, seed=seed)
    found = finite_answers(model, tried)
    return (
        *training_mode(model),
        *require_repeatable(Asked(model, tried, found), seed=seed),
        *saturated(model, found[tried.at_centres] if answers is None else answers),
        *doubtful_layout(model, frame, classes=tuple(classes), seed=seed),
    )


def training_mode(model: LoadedModel) -> tuple[Diagnostic, ...]:
    """A note where parts of a torch module that behave differently in training are in training mode."""
    module = module_of(model)
    if module is None:
        return ()
    from torch.nn.modules import batchnorm, dropout

    kinds = (batchnorm._NormBase, dropout._DropoutNd)
    parts = [name or "the module" for name, p in module.named_modules() if p.training and isinstance(p, kinds)]
    if not parts:
        return ()
    count = counted(len(parts), "part")
    return (
        Diagnostic(
            "model-training-mode",
            f"{count} of the module, {parts[0]!r} first, were in training mode; it was run in evaluation mode.",
            "note",
            model.name,
            "Call eval() on it to say that this is meant.",
        ),
    )
