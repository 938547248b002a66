"""Problems of references to results of steps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from surefoot.documents import Keys, Problem, did_you_mean, shown
from surefoot.project.checks.parameters import misspelt
from surefoot.project.draft import Draft
from surefoot.project.references import SHAPES, fits, references, step_in
from surefoot.project.step import Step

MOST_COMPARED = 300
"""Names a misspelt one is compared with: comparing every mistake of a huge file with all would take minutes."""


def result_problems(draft: Draft, given: Mapping[str, Any], step: Step, at: Keys) -> Iterator[Problem]:
    """Problems of the parameters that take results of other steps."""
    for key, role in step.estimate_names.items():
        value = given.get(key)
        if value is None:
            if step.required(key) and key not in misspelt(given, step):
                yield Problem("missing-key", (*at, key), "is missing.", f"It must {SHAPES[role]}.")
        elif not fits(role, value):
            yield Problem("wrong-value", (*at, key), f"must {SHAPES[role]}; found {shown(value)}.")
        else:
            for inner, text in references(role, value).items():
                yield from reference_problems(draft, text, (*at, key, *inner))


def reference_problems(draft: Draft, text: Any, at: Keys) -> Iterator[Problem]:
    """Whether ``step.quantity`` names a step of the project; quantities are known only once it has run."""
    step = step_in(text)
    if step is None:
        is_step = isinstance(text, str) and text in draft.step_names
        hint = f"Write {text}. and the name of one of its results." if is_step else ""
        yield Problem("wrong-value", at, f"must {SHAPES['one']}; found {shown(text)}.", hint)
    elif draft.step_names and step not in draft.step_names:
        problem = f"refers to the step {shown(step)}, which is not there."
        yield Problem("unknown-reference", at, problem, did_you_mean(step, list(draft.step_names)[:MOST_COMPARED]))
