"""What refuses its input, and what it says."""

from surefoot.core import InvalidInput


def refusal(function, *arguments, **options):
    """The words of the refusal; none where the call is accepted."""
    try:
        function(*arguments, **options)
    except InvalidInput as error:
        return str(error)
    return ""


def accepted(calls):
    """The places of the calls that are not refused."""
    return [place for place, call in enumerate(calls) if not refusal(call)]
