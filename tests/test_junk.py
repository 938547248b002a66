"""What public functions and classes do with junk: words of ours, and no raw error."""

import inspect
import traceback
import warnings
from importlib import import_module

import numpy as np

import surefoot as sf
from surefoot.core import SurefootError

JUNK = (
    *(None, -1, float("nan"), float("inf"), "", b"x", [], {}, object(), 10**400, [[1], [2, [3]]]),
    *(np.ma.masked_equal([1.0, 2.0], 2.0), np.array(["a", "b"]), np.empty((0, 3)), np.zeros((2, 3, 4))),
)
WITHOUT = ("datasets", "testing")
"""Data sets are read from disk for each call; what tests use is for tests."""
MODELS = "a model of pydantic, whose own error the readers of project files turn into findings with places"
LEFT = {
    **dict.fromkeys(("Conditions", "Definition", "Document", "DocumentControl", "DocumentEntry", "Reviewer"), MODELS),
    "expanded": "its ValueError is documented: readers of files add the name of the file",
}
"""Public names that may raise an error of Python, each with why."""


def public():
    """Each public function or class once, with the package that shows it."""
    seen = set()
    for package in set(sf.__all__) - {*WITHOUT}:
        shown = getattr(sf, package)
        for name in sorted(getattr(shown, "__all__", ())):
            found = getattr(shown, name)
            skipped = getattr(found, "_is_protocol", False) or inspect.isabstract(found)
            skipped |= inspect.isclass(found) and issubclass(found, BaseException)
            if callable(found) and not skipped and getattr(found, "__module__", "").startswith("surefoot"):
                if found not in seen:
                    yield found.__module__.split(".")[1], found
                seen.add(found)


def calls(function):
    """Junk for everything that is needed, and for one option at a time."""
    known = inspect.signature(function).parameters.values()
    needed = [p.name for p in known if p.default is p.empty and p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
    options = [p.name for p in known if p.default is not p.empty]
    for junk in JUNK:
        for option in (None, *options):
            yield dict.fromkeys([*needed, *([option] if option else [])], junk)


def raises_raw(function, given):
    try:
        function(**given)
    except SurefootError:
        return False
    except Exception as error:
        # Arguments that are missing or too many are told by Python itself.
        return not (isinstance(error, TypeError) and len(traceback.extract_tb(error.__traceback__)) == 1)
    return False


def test_junk_is_refused_in_words_of_ours(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    import_module("matplotlib").use("svg")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        raw = {
            function.__qualname__: package
            for package, function in public()
            if any(raises_raw(function, given) for given in calls(function))
        }
    assert raw.keys() == LEFT.keys(), raw
