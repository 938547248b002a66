"""Plain data, canonical JSON, digests."""

import json
import pickle

import numpy as np
import pytest
from hypothesis import given, settings

from surefoot.core import FrozenDict, InvalidInput, Provenance, array_digest, canonical_json, digest
from tests.core.strategies import mappings, plain


@given(plain)
@settings(deadline=None)
def test_what_is_recorded_goes_through_json_and_back(value):
    recorded = Provenance("method", {"value": value})
    again = Provenance.from_dict(json.loads(json.dumps(recorded.to_dict(), allow_nan=False)))
    assert again == recorded
    assert hash(again) == hash(recorded)


@given(mappings)
@settings(deadline=None)
def test_frozen_mappings_hash_pickle_and_compare(mapping):
    frozen = FrozenDict(mapping)
    again = pickle.loads(pickle.dumps(frozen))
    assert again == frozen
    assert hash(again) == hash(frozen)
    assert dict(frozen) == {key: FrozenDict({"v": value})["v"] for key, value in mapping.items()}


@given(mappings)
@settings(deadline=None)
def test_digest_ignores_the_order_of_keys(mapping):
    assert digest(mapping) == digest(dict(reversed(mapping.items())))


def test_digest_keeps_twelve_significant_digits():
    assert digest(0.1 + 0.2) == digest(0.3)
    assert digest(0.3) != digest(0.30000000001)
    assert digest(1e-300 * (1 + 1e-14)) == digest(1e-300)
    assert digest(2.0) == digest(2)
    assert digest(-0.0) == digest(0.0)
    assert digest(True) != digest(1)


def test_canonical_json_is_one_text():
    assert canonical_json({"b": [1.0, float("inf")], "a": None}) == '{"a":null,"b":[1,{"$float":"inf"}]}'


def test_numpy_values_become_plain_ones():
    assert FrozenDict({"a": np.float64(0.5), "b": np.arange(3), "c": np.bool_(True)}) == {
        "a": 0.5,
        "b": (0, 1, 2),
        "c": True,
    }


def test_what_cannot_be_recorded_is_refused(subtests):
    for value in (float("nan"), object(), {1: 2}, {"a": {2: 3}}):
        with subtests.test(value=value), pytest.raises(InvalidInput):
            FrozenDict({"value": value})


def test_array_digest_depends_on_values_shape_and_type_only():
    x = np.arange(12.0).reshape(3, 4)
    assert array_digest(x) == array_digest(np.asfortranarray(x)) == array_digest(x.astype(">f8"))
    assert len({array_digest(a) for a in (x, x.T, x.ravel(), x.astype("f4"), x + 1)}) == 5
    assert array_digest(np.array(["a", None], dtype=object)) != array_digest(np.array(["b", None], dtype=object))
