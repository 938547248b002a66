"""Every public name of the package is at hand, and is what it says."""

import inspect
from types import ModuleType

import pytest

import surefoot as sf
from surefoot.monitors import DETECTORS


def test_a_name_is_a_class_a_function_or_a_package():
    for name in sf.monitors.__all__:
        found = getattr(sf.monitors, name)
        assert inspect.isclass(found) or inspect.isfunction(found) or isinstance(found, ModuleType | type(DETECTORS)), (
            name
        )
        assert isinstance(found, ModuleType) == (name in sf.monitors._PACKAGES), name


def test_every_detector_of_the_catalogue_is_public():
    for name in DETECTORS.own:
        assert DETECTORS.get(name) is getattr(sf.monitors, DETECTORS.get(name).__name__), name


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="Mahalonobis"):
        _ = sf.monitors.Mahalonobis
