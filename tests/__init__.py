"""Tests by the front door of each package."""


def refusal(error, call, /, *args, **options):
    """What is said where a call is refused with an error of this kind; nothing where it is answered."""
    try:
        call(*args, **options)
    except error as said:
        return str(said) or type(said).__name__
    return ""
