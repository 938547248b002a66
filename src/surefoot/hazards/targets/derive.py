"""``derive``: a target by the name of its principle."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from surefoot.core import InvalidInput, Kind, validate
from surefoot.core.target import DEFAULT_KINDS
from surefoot.hazards.targets.comparison import derive_gale, derive_safer, derive_se
from surefoot.hazards.targets.derivation import Asked, Derivation
from surefoot.hazards.targets.exposure import Exposure
from surefoot.hazards.targets.individual import derive_alarp, derive_mem
from surefoot.hazards.targets.reference import Reference

PRINCIPLES: Mapping[str, Callable[..., Derivation]] = {
    "alarp": derive_alarp,
    "gale": derive_gale,
    "mem": derive_mem,
    "safer": derive_safer,
    "se": derive_se,
}


def derive(
    principle: str,
    *,
    reference: Reference | None = None,
    factor: float | None = None,
    margin: float | None = None,
    exposure: Exposure | None = None,
    per: str | None = None,
    level: float = 0.95,
    kinds: tuple[Kind, ...] = DEFAULT_KINDS,
    **options: Any,
) -> Derivation:
    """The target that a principle of risk acceptance gives, with the steps that led to it.

    ``gale`` and ``se`` need a ``reference`` (``se`` takes a ``margin``), ``safer`` a ``reference`` and a ``factor``;
    ``mem`` takes the options ``harm``, ``share``, ``mortality`` and ``harm_probability``, ``alarp`` the options
    ``group`` and ``harm_probability``. All take ``level``, ``kinds``, and ``per`` with the ``exposure`` that converts.

    >>> divers = Reference(12, 40_000, per="hour", name="divers", source="dive logs 2015-2020")
    >>> round(derive("safer", reference=divers, factor=10).target.limit, 12)
    3e-05
    """
    name = validate.choice(principle, PRINCIPLES, where="derive", name="principle")
    stated = {"reference": reference, "factor": factor, "margin": margin, **options}
    given = {option: value for option, value in stated.items() if value is not None}
    _check_options(name, given)
    return PRINCIPLES[name](**given, asked=Asked(level, per, exposure, kinds))


def _check_options(principle: str, given: Mapping[str, Any]) -> None:
    known = {n: p for n, p in inspect.signature(PRINCIPLES[principle]).parameters.items() if n != "asked"}
    takes = f"{principle} takes {', '.join(known)}."
    unknown = sorted(set(given) - set(known))
    if unknown:
        raise InvalidInput("an option that this principle does not take", where=principle, found=unknown, remedy=takes)
    missing = [n for n, p in known.items() if p.default is p.empty and n not in given]
    if missing:
        raise InvalidInput(f"needs {' and '.join(missing)}", where=principle, found=sorted(given), remedy=takes)
