"""Every exception that Surefoot raises on purpose.

A message says what is wrong, where, what was found and what to do, in that order, so that a reader
who sees only the last line of a log can act on it.
"""

from __future__ import annotations

import importlib
from types import ModuleType


class SurefootError(Exception):
    """Base of all errors raised on purpose; catch this one to catch them all."""

    def __init__(self, problem: str, *, where: str = "", found: object = None, remedy: str = "") -> None:
        self.problem, self.where, self.found, self.remedy = problem, where, found, remedy
        super().__init__(problem, where, found, remedy)

    def __str__(self) -> str:
        text = f"{self.where}: {self.problem}" if self.where else self.problem
        if self.found is not None:
            text += f"; found {self.found}"
        return f"{text}. {self.remedy}" if self.remedy else text

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (type(self), self.problem, self.where, self.found, self.remedy)


def _rebuild(kind: type[SurefootError], problem: str, where: str, found: object, remedy: str) -> SurefootError:
    return kind(problem, where=where, found=found, remedy=remedy)


class InvalidInput(SurefootError, ValueError):
    """An argument is outside what the function is defined for."""


class Undefined(SurefootError, ArithmeticError):
    """The inputs are valid, but the quantity asked for does not exist for them."""


class LevelUnavailable(SurefootError, LookupError):
    """A bound at this level, side or kind is not known."""


class MixedKinds(SurefootError, TypeError):
    """Confidence and credible statements were about to be combined without saying so."""


class MissingExtra(SurefootError, ImportError):
    """An optional dependency is needed and not installed."""


class MissingData(SurefootError, FileNotFoundError):
    """A data set is needed and not present."""


# Import optional dependencies where they are used, and say how to get them when they are missing.


def require(module: str, *, extra: str, purpose: str) -> ModuleType:
    """Import ``module`` or raise an error that names the extra which brings it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise MissingExtra(
            f"{purpose} needs the package {module!r}, which is not installed",
            remedy=f"Run: pip install 'surefoot[{extra}]'",
        ) from error
