"""What refuses its input, and what it says."""

from functools import partial

from tests.refusals import refusal as refused_with

from surefoot.core import InvalidInput

refusal = partial(refused_with, InvalidInput)
"""The words of the refusal; none where the call is accepted."""


def accepted(calls):
    """The places of the calls that are not refused."""
    return [place for place, call in enumerate(calls) if not refusal(call)]
