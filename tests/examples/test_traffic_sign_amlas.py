"""The AMLAS case of the traffic-sign classifier: an author's own tree over measured, counted and written evidence."""

import shutil
from pathlib import Path

import numpy as np
import pytest

import surefoot as sf
from surefoot.case import PrivateKey, Seal, Snapshot, coverage, make_key, seal, verify

EXAMPLES = Path(__file__).parents[2] / "examples"
CLASSES, ROAD_WORK, IMAGES, TRACKS = 43, 25, 480, 243
MADE = ("scores.npz", ".surefoot", "*.lock", "*.seal.*", "__pycache__")


def answers(labels, wrong, rng):
    """Scores of a network that takes the pictures at ``wrong`` for another sign."""
    scores = np.full((len(labels), CLASSES), 0.01, dtype=np.float32)
    said = np.where(np.isin(np.arange(len(labels)), wrong), (labels + 1) % CLASSES, labels)
    scores[np.arange(len(labels)), said] = 0.58
    quarters = {
        name: rng.integers(0, 4, len(labels)).astype(np.uint8)
        for name in ("brightness", "contrast", "sharpness", "size")
    }
    return {"scores": scores, "labels": labels, **quarters}


@pytest.fixture(scope="module")
def result(tmp_path_factory):
    """The example, with answers that miss 6 of 480 pictures and err on one held-out sign."""
    place, rng = tmp_path_factory.mktemp("examples"), np.random.default_rng(0)
    for name in ("traffic_sign_amlas", "traffic_sign_trust"):
        shutil.copytree(EXAMPLES / name, place / name, ignore=shutil.ignore_patterns(*MADE))
    track = np.repeat(np.arange(TRACKS), 10)
    parts = {
        "test": answers(np.full(IMAGES, ROAD_WORK), [31, 77, 180, 260, 333, 451], rng),
        "held_out": answers(track % CLASSES, range(10), rng) | {"track": track},
    }
    arrays = {f"{part}/{name}": values for part, columns in parts.items() for name, values in columns.items()}
    np.savez_compressed(place / "traffic_sign_trust" / "scores.npz", **arrays)
    return sf.run(sf.load(place / "traffic_sign_amlas"))


def test_the_case_is_the_authors_tree(result):
    assert [node.id for node in result.case.tops if not node.module] == ["G1.1"]
    assert len(result.case) >= 80
    assert {node.module for node in result.case} == {
        "",
        "requirements",
        "data",
        "learning",
        "verification",
        "deployment",
    }
    found = result.case.check(result.evidence)
    assert not [finding for finding in found if finding.severity == "error" or finding.code == "case-document-unpinned"]


def test_all_artefacts_of_amlas_are_named_and_the_gap_is_told(result):
    rows = [row for row in coverage(result.case, result.evaluation, "AMLAS") if row.reference.startswith("artefact")]
    assert len(rows) == 34
    assert [row.reference for row in rows if row.state == "gap"] == ["artefact FF"]


def test_three_kinds_of_evidence_meet(result):
    kinds = {entry.kind for entry in result.register}
    assert {"document", "result"} <= kinds
    assert float(result.evidence["published"].estimates[0].value) == pytest.approx(10 / 480)
    evaluation = result.evaluation
    assert (evaluation["H"].standing, evaluation["M"].standing) == ("supported", "not shown"), "a draft shows nothing"


def test_numbers_that_are_met_do_not_close_the_case(result):
    assert {answer.name: answer.verdict.status for answer in result.answers}["labels"] == "met"
    assert result.headline.status == "not shown"
    assert len(result.headline.open_claims) > 10
    assert result.evaluation.top.standing == "not shown"


def test_it_is_sealed_and_signed_by_two_roles(result, tmp_path):
    pytest.importorskip("cryptography")
    now = Snapshot(result.case, result.evaluation, result.evidence, digests=result.digests)
    author, assessor = (PrivateKey.read(make_key(tmp_path / name)[0]) for name in ("author", "assessor"))
    signed = seal(now, by="A. Author", key=author, role="author").signed(assessor, by="B. Assessor", role="assessor")
    again = Seal.read(signed.write(tmp_path / "seal.json"))
    assert verify(again, now, public_key=[author.public, assessor.public]) == []
    assert {"labels", "G3.6"} <= set(again.sealed.claims)
