"""What was recorded can be read again."""

from __future__ import annotations

import numpy as np
import pytest
from tests.systems.study import worlds
from tests.systems.study.worlds import DARK, study

from surefoot import InvalidInput
from surefoot.systems import CLEAN


def test_answers_of_a_module_are_those_it_gave_in_each_condition():
    findings = study(conditions=(CLEAN, DARK)).run()
    photos, _ = worlds.pictures(20)
    brightness = photos.mean(axis=(1, 2, 3), dtype=np.float64)
    assert findings.answers("left") == pytest.approx(brightness, abs=1e-6)
    assert findings.answers("left", DARK) == pytest.approx(0.5 * brightness, abs=1e-6)


def test_an_item_without_an_answer_has_none():
    def squinting(v):
        return [np.nan if photo.mean() < 0.4 else float(photo.mean()) for photo in v]

    findings = study(worlds.eyes(second=squinting), conditions=(CLEAN,)).run()
    _, truth = worlds.pictures(20)
    assert [answer is None for answer in findings.answers("right")] == (truth < 0.4).tolist()


def test_a_place_that_is_none_is_told():
    with pytest.raises(InvalidInput, match="place"):
        study(conditions=(CLEAN,)).run().answers("nose")
