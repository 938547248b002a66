"""The estimates of an assessment, each with what it rests on and what speaks against it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy import special

from surefoot import bounds
from surefoot.bounds.families import CentralLimitBound
from surefoot.bounds.statement import FAILURE_PROBABILITY, approximate
from surefoot.core import Assumption, Diagnostic, Estimate, Provenance
from surefoot.reliability.assembly import Assembled
from surefoot.reliability.assumptions import INDEPENDENT_CELLS
from surefoot.reliability.cells import Cells
from surefoot.reliability.correction import Correction
from surefoot.reliability.held_out import own_checks
from surefoot.reliability.labelling import EMPTY

BY_CELLS = "failure probability by cells alone"
UNASTUTENESS = "average cell unastuteness"
CONTRADICTION_LEVEL = 0.975
REMEDY = "Give held-out labelled data from operation (holdout=), which correct it."


@dataclass(frozen=True, eq=False)
class Statements:
    """Everything that the estimates are made from."""

    found: Assembled
    cells: Cells
    printed_sd: float | None
    checked: bool
    profile_caveats: tuple[Diagnostic, ...]
    correction: Correction | None
    assumptions: tuple[Assumption, ...]
    own_failures: tuple[int, int]
    sampling_variance_of_mean: float
    level: float
    params: Mapping[str, Any]
    seed: int

    def pmi(self) -> tuple[Estimate, str]:
        """The failure probability to sign, and the name of its method among all limits."""
        if self.correction is None or self.printed_sd is not None:
            return replace(self.by_cells(), quantity=FAILURE_PROBABILITY), "cells alone, normal approximation"
        found = self.correction.estimate(level=self.level, voted_mass=self.cells.voted_mass, seed=self.seed)
        name = "weighted betting"
        if not self.correction.weighted:
            name = "predicted strata" if found.details["prediction_used"] else "exact binomial"
        return self._checked(found, name), name

    def by_cells(self) -> Estimate:
        """The sum over cells, which rests on votes and on the kernel."""
        sd, n = self.printed_sd or self.found.sd, len(self.found.parts)
        sides = (CentralLimitBound(self.found.value, sd, n, side, "heuristic") for side in ("upper", "lower"))
        return Estimate(
            BY_CELLS,
            self.found.value,
            bounds=tuple(sides),
            assumptions=self._needed(),
            caveats=tuple(self._caveats()),
            details={
                "sd": sd,
                "sd_profile": math.sqrt(self.found.profile_variance),
                "sd_sampling": math.sqrt(self.found.sampling_variance),
                "sd_weights": math.sqrt(self.found.weights_variance),
                "cells": len(self.cells),
                "voted_share_of_operation": self.cells.voted_mass,
                "voted_share_of_result": self.cells.share_resting_on(EMPTY),
                "level": self.level,
            },
            provenance=self._provenance("by_cells"),
        )

    def _needed(self) -> tuple[Assumption, ...]:
        """What the sum over cells rests on; only the printed variance takes cells for independent."""
        return tuple(a for a in self.assumptions if self.printed_sd is not None or a.id != INDEPENDENT_CELLS.id)

    def acu(self) -> Estimate:
        """RAM, Definition 3: the mean risk of all cells, as if operation were flat."""
        value, sd = float(np.mean(self.cells.risk)), math.sqrt(self.sampling_variance_of_mean)
        sides = (CentralLimitBound(value, sd, len(self.cells), side, "heuristic") for side in ("upper", "lower"))
        return Estimate(
            UNASTUTENESS,
            value,
            unit="per cell",
            bounds=tuple(sides),
            assumptions=tuple(a for a in self.assumptions if a.id != INDEPENDENT_CELLS.id),
            caveats=tuple(self._caveats()),
            details={"cells": len(self.cells), "sd": sd, "level": self.level},
            provenance=self._provenance("acu"),
        )

    def _checked(self, found: Estimate, method: str) -> Estimate:
        """The corrected estimate with what the held-out data say about its own assumptions."""
        assert self.correction is not None
        checks = own_checks(self.correction, seed=self.seed) if self.checked else {}
        assumptions = tuple(replace(a, check=checks.get(a.id) or a.check) for a in found.assumptions)
        low = Diagnostic("contradicted-by-tests", f"{self._counted}, more than this limit allows.")
        below = found.upper(CONTRADICTION_LEVEL) < self.tested[0]
        return replace(
            found,
            assumptions=assumptions,
            caveats=(*found.caveats, *([low] if below else []), *contradicted(assumptions), *self._common_caveats),
            details={**found.details, "method": method, "by_cells": self.found.value},
            provenance=self._provenance("pmi"),
        )

    @property
    def _common_caveats(self) -> tuple[Diagnostic, ...]:
        off = Diagnostic("checks-off", "Assumptions were not checked.", hint="Leave out checks=False.")
        return (*self.profile_caveats, *(() if self.checked else (off,)))

    def _caveats(self) -> list[Diagnostic]:
        """What speaks against the sum over cells."""
        text = "No held-out labels have corrected this number"
        voted = self.cells.voted_mass
        text += f"; {voted:.1%} of operation lies in cells that the model's own vote labelled." if voted else "."
        uncorrected = [] if self.correction else [Diagnostic("uncorrected", text, hint=REMEDY)]
        against = self._contradiction()
        return [
            *uncorrected,
            *([against] if against else []),
            *contradicted(self._needed()),
            *self._common_caveats,
            approximate("The normal approximation", "Use the corrected estimate." if self.correction else REMEDY),
        ]

    @cached_property
    def tested(self) -> tuple[float, float]:
        """Limits of the failure probability that labelled rows leave possible; without tests, those of the cells."""
        failed, trials = self.own_failures
        level = CONTRADICTION_LEVEL
        if self.correction:
            found = self.correction.tested(level=level, seed=self.seed)
            return found.lower(level), found.upper(level)
        # Rows that the model was trained on fail less often than others, so they show no upper limit.
        return bounds.clopper_pearson(failed, trials, level=level).lower(level), 1.0

    @property
    def _counted(self) -> str:
        if self.correction:
            return f"{int(self.correction.failed.sum()):,} of {self.correction.failed.size:,} held-out tests failed"
        return f"{self.own_failures[0]:,} of {self.own_failures[1]:,} rows that labelled the cells failed"

    def _contradiction(self) -> Diagnostic | None:
        """Labelled rows that fail more often, or less often, than the cells alone say."""
        least, most = self.tested
        reach = float(special.ndtri(CONTRADICTION_LEVEL)) * (self.printed_sd or self.found.sd)
        low, high = self.found.value - reach, self.found.value + reach
        if high < least:
            text = f"{self._counted}, so at least {least:.4g} fail; the cells alone say at most {high:.4g}."
            hint = "Cells labelled by vote let the model judge itself; use the corrected estimate."
        elif low > most:
            text = f"{self._counted}, so at most {most:.4g} fail; the cells alone say at least {low:.4g}."
            hint = "Smoothing, coarse cells or cells that cross a boundary add risk; use the corrected estimate."
        else:
            return None
        return Diagnostic("contradicted-by-tests", f"{text} Each holds at level {CONTRADICTION_LEVEL:g}.", hint=hint)

    def _provenance(self, part: str) -> Provenance:
        return Provenance(f"reliability.assess_cells.{part}", dict(self.params), seed=self.seed)


def contradicted(assumptions: tuple[Assumption, ...]) -> list[Diagnostic]:
    """A caveat for each assumption that the data speak against."""
    broken = [a for a in assumptions if a.check and a.status == "contradicted"]
    return [
        Diagnostic("assumption-contradicted", f"The data speak against this assumption: {a.text} ({a.check.method})")
        for a in broken
        if a.check
    ]
