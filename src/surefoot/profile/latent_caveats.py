"""What not to trust about weights that are densities."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from surefoot.core import Diagnostic
from surefoot.core.validate import FloatArray
from surefoot.profile.weighting import collapse

MOST_VANISHED = 0.5
EQUAL_HINT = "Use the scheme 'equal' where the inputs were drawn from operation, 'ratio' where they were not."


def caveats_of(weights: FloatArray, *, own: bool) -> tuple[Diagnostic, ...]:
    """That weights were estimated, and where they mislead; ``own``: the density is that of the inputs themselves."""
    estimated = Diagnostic("weights-estimated", f"The {weights.size:,} weights are estimated densities.", "note")
    unequal = tuple(replace(found, hint=EQUAL_HINT) for found in collapse(weights))
    return (estimated, _bias(own=own), *unequal, *_vanished(weights))


def _bias(*, own: bool) -> Diagnostic:
    if own:
        text = (
            "The weights are the density of the inputs themselves. Where these were drawn from operation, a weighted "
            "mean counts that density twice, and the mean with equal weights is the one without bias."
        )
    else:
        text = (
            "The weights are the density of operation at inputs that were drawn otherwise. A weighted mean has no bias "
            "only where they were drawn evenly over the latent space."
        )
    return Diagnostic("weights-estimated", text, hint=EQUAL_HINT)


def _vanished(weights: FloatArray) -> tuple[Diagnostic, ...]:
    share = float(np.mean(weights == 0))
    if share <= MOST_VANISHED:
        return ()
    text = f"{share:.1%} of {weights.size:,} weights are 0 in double precision next to the largest."
    hint = "Use fewer dimensions or a larger bandwidth."
    return (Diagnostic("weights-estimated", text, hint=hint),)
