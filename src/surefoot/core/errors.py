"""Every exception that Surefoot raises on purpose, and ``require``, which imports an optional dependency or says so.

A message says what is wrong, where, what was found and what to do, in that order, so that a reader
who sees only the last line of a log can act on it.
"""

from __future__ import annotations

import importlib
from contextlib import suppress
from types import ModuleType


class SurefootError(Exception):
    """Base of all errors raised on purpose; catch this one to catch them all.

    Parameters
    ----------
    problem
        What is wrong.
    where
        The function, file or component.
    found
        What was there instead.
    remedy
        What to do, as a sentence.

    Examples
    --------
    >>> import surefoot as sf
    >>> try:
    ...     sf.bounds.clopper_pearson(5, 3, level=0.95)
    ... except sf.core.SurefootError as error:
    ...     print(error.where)
    clopper_pearson

    """

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
    """An argument is outside what the function is defined for.

    See Also
    --------
    SurefootError

    """


class Undefined(SurefootError, ArithmeticError):
    """The inputs are valid, but the quantity asked for does not exist for them.

    See Also
    --------
    SurefootError

    """


class LevelUnavailable(SurefootError, LookupError):
    """A bound at this level, side or kind is not known.

    See Also
    --------
    SurefootError

    """


class MixedKinds(SurefootError, TypeError):
    """Confidence and credible statements were about to be combined without saying so.

    See Also
    --------
    SurefootError

    """


class MissingExtra(SurefootError, ImportError):
    """An optional dependency is needed and not installed.

    See Also
    --------
    SurefootError

    """


class MissingData(SurefootError, FileNotFoundError):
    """A data set is needed and not present.

    See Also
    --------
    SurefootError

    """


# Whether memory ran out, of this machine or of a device.

_SIGNS = (
    "out of memory",
    "outofmemory",
    "not enough memory",
    "can't allocate memory",
    "failed to allocate memory",
    "bad_alloc",
    "bad allocation",
    "alloc_failed",
)
"""How torch, CUDA and onnxruntime say it; errors that come from another process keep their text only."""


def is_memory_error(error: BaseException | None) -> bool:
    """Whether an error, or one that it was raised from, says that memory ran out."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        text = type(error).__name__.lower()
        # Errors of models may not even be printable.
        with suppress(Exception):
            text += f": {error}".lower()
        if isinstance(error, MemoryError) or any(sign in text for sign in _SIGNS):
            return True
        error = error.__cause__
    return False


def memory_words(error: BaseException) -> str:
    """How much memory was asked for, as far as the error says it, else how much the process held at most."""
    import sys

    said = " ".join(str(error).split())
    if said:
        return said.rstrip(".")
    try:
        import resource
    except ImportError:  # Windows has no such module.
        return "how much is not known"
    held = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    return f"the process held up to {held / 2**30:.2g} GiB"


def require(module: str, *, extra: str, purpose: str) -> ModuleType:
    """Import ``module`` or raise an error that names the extra which brings it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise MissingExtra(
            f"{purpose} needs the package {module!r}, which is not installed",
            remedy=f"Run: pip install 'surefoot[{extra}]'",
        ) from error
