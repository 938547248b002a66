"""A model behind one interface, whatever it was made with."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.adapters.outputs import OUTPUT, Returned, as_answers, is_label, normalise, put, score_type, settle
from surefoot.adapters.tested import Output
from surefoot.adapters.wording import explained
from surefoot.core import Diagnostic, DiagnosticsError, SurefootError


@dataclass(frozen=True, eq=False)
class LoadedModel:
    """A function from a batch of inputs to scores or labels, and what is known of it."""

    function: Callable[[NDArray[Any]], Any]
    name: str = "model"
    returns: Returned | None = None
    """What the function returns; None where its answers must tell."""
    usual: Returned = "score"
    """What answers are that do not look like probabilities, where ``returns`` is None."""
    classes: tuple[str, ...] = ()
    caveats: tuple[Diagnostic, ...] = ()
    folder: Path | None = None
    source: Any = None
    """The estimator or module behind the function, for methods that look inside; None where there is none."""

    @property
    def output(self) -> Output:
        """What calling the model gives, as far as it is known before it was run."""
        return OUTPUT[self.returns or self.usual]

    def __call__(self, inputs: NDArray[Any], /) -> NDArray[Any]:
        """A column of scores for each class, or the labels of a model that returns labels."""
        answers = self.answers(inputs)
        if is_label(answers, self.returns):
            return answers
        single = answers.ndim == 1
        scores = np.empty((len(answers), 2 if single else answers.shape[1]), score_type(answers, self.name))
        put(scores, answers)
        returns = settle(scores, single=single, returns=self.returns, usual=self.usual)
        normalise(scores, single=single, returns=returns, where=self.name)
        return scores

    def answers(self, inputs: NDArray[Any]) -> NDArray[Any]:
        """What the function returns for a copy of the inputs, checked and not changed otherwise."""
        with running(self.name, self.folder):
            value = self.function(np.array(inputs))
        return as_answers(value, rows=len(inputs), where=self.name)


@contextmanager
def running(name: str, folder: Path | None) -> Iterator[None]:
    """Say which model raised what, and where in the user's code."""
    try:
        yield
    except SurefootError:
        raise
    except (Exception, SystemExit) as error:
        text = f"the model raised {explained(error, folder)}."
        raise DiagnosticsError.of("model-raised", text, where=name) from error


@contextmanager
def loading(name: str, folder: Path | None) -> Iterator[None]:
    """Say which model could not be loaded, and why."""
    try:
        yield
    except SurefootError:
        raise
    except (Exception, SystemExit) as error:
        text = f"the model could not be loaded: {explained(error, folder)}."
        raise DiagnosticsError.of("model-unreadable", text, where=name) from error
