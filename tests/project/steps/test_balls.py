"""Reliability in balls as a step."""

import numpy as np
import pytest
from tests.project.ball_project import SHAPE, pictures, weights
from tests.refusals import told

import surefoot as sf
from surefoot import adapters
from surefoot.executors import Serial
from surefoot.project import find_step
from surefoot.reliability import MultilevelSplitting, assess_balls

reliability_balls = find_step("reliability_balls")

PMI = "failure probability within radius r of operational inputs"
ALONE, ACU = "failure probability within radius r of the rows", "average ball unastuteness"
CLASSES = ("upright", "flat")
FEW = {"particles": 20, "moves": 1, "budget": 5}
QUICK = {"radius": 0.2, "particles": 60, "moves": 4, "rho": 0.2, "estimator": "splitting"}


def linear(inputs):
    """A model that compares the bars."""
    return inputs.reshape(len(inputs), -1) @ weights().T.astype(inputs.dtype)


def as_data(inputs, labels, classes=CLASSES, **more):
    return adapters.as_data({"inputs": inputs, "labels": labels, **more}, classes=classes)


def assessed(*, model=linear, rows=None, operation=None, labelled=None, groups=None, classes=CLASSES, **options):
    loaded = adapters.as_model(model)
    grouped = {} if groups is None else {"groups": groups}
    data = as_data(*(pictures(40, 1) if rows is None else rows), classes, **grouped)
    scored = adapters.scored(loaded, data, batch_size=1000)
    tested = adapters.tested(
        "bars", data, scored.scores, output=scored.output, classes=scored.classes, digests={}, caveats=()
    )
    further = None if operation is None else adapters.as_data({"inputs": operation})
    more = None if labelled is None else as_data(*labelled)
    return reliability_balls(
        tested, loaded, Serial(), operation=further, labelled=more, **{**QUICK, "budget": 15, **options}
    )


@pytest.fixture(scope="module")
def usual():
    return assessed()


def test_the_numbers_are_those_of_the_library(usual):
    rows, labels = pictures(40, 1)
    direct = assess_balls(
        linear,
        rows,
        np.asarray(CLASSES)[labels],
        classes=CLASSES,
        radius=0.2,
        estimator=MultilevelSplitting(particles=60, steps=4, rho=0.2),
        budget=15,
    )
    for estimate, expected in zip(usual.estimates, (direct.pmi, direct.by_balls, direct.acu), strict=True):
        assert (estimate.value, estimate.upper(0.95)) == (expected.value, expected.upper(0.95))
    assert [estimate.quantity for estimate in usual.estimates] == [PMI, ALONE, ACU]
    assert {estimate.scope for estimate in usual.estimates} == {"bars, r = 0.2"}


def test_the_mean_over_all_balls_is_what_plain_sampling_gives():
    rows, labels = pictures(40, 1)
    found = assessed(budget=40, particles=400)[ALONE]
    rng, risks = np.random.default_rng(0), []
    for row, label in zip(rows.reshape(40, -1), labels, strict=True):
        low, high = np.maximum(row - 0.2, 0), np.minimum(row + 0.2, 1)
        inside = rng.uniform(low, high, (20_000, row.size))
        risks.append((linear(inside)[:, label] <= linear(inside)[:, 1 - label]).mean())
    assert np.mean(risks) > 0.001
    assert found.value == pytest.approx(np.mean(risks), abs=4 * found.details["sd"] + 4e-4)


def test_the_riskiest_inputs_are_drawn_beside_neighbours_that_fail(usual):
    content = usual.artefacts["riskiest inputs"].content.decode()
    assert "answered flat" in content
    assert "failing neighbour" in content
    assert "riskiest inputs" not in usual.tables
    assert sum(len(item.content) for item in usual.artefacts.values()) < 400_000


def test_inputs_that_fail_themselves_give_way_to_others_at_risk():
    rows, labels = pictures(40, 1)
    for wrong, failing in ((12, 4), (2, 2), (0, 0)):
        mislabelled = np.where(np.arange(40) < wrong, 1 - labels, labels)
        found = assessed(rows=(rows.reshape(40, -1), mislabelled), radius=0.45, budget=40, particles=20, moves=1)
        table = found.tables["riskiest inputs"]
        shown = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
        assert len(shown) == 8
        assert sum(row["answer"] != row["true class"] for row in shown) == failing, wrong


def test_rows_of_features_are_listed_and_drawn_where_their_shape_is_stated():
    rows, labels = pictures(40, 1)
    flat = rows.reshape(40, -1), labels
    table = assessed(rows=flat).tables["riskiest inputs"]
    first = dict(zip(table.columns, table.rows[0], strict=True))
    assert first["true class"] in CLASSES
    assert first["answer to a failing neighbour"] == CLASSES[1 - CLASSES.index(first["true class"])]
    assert first["log10 risk"] == max(row[3] for row in table.rows)
    drawn = assessed(rows=flat, picture=[6, 6])
    assert "riskiest inputs" in drawn.artefacts
    assert "riskiest inputs" not in drawn.tables


@pytest.mark.parametrize("shape", [(6, 6), (6, 6, 1)], ids=str)
def test_other_layouts_give_the_same_numbers(usual, shape):
    rows, labels = pictures(40, 1)
    found = assessed(rows=(rows.reshape(-1, *shape), labels))
    assert [estimate.value for estimate in found.estimates] == [estimate.value for estimate in usual.estimates]
    assert "riskiest inputs" in found.artefacts


def test_the_radius_follows_from_the_separation_of_all_labelled_rows():
    rows, labels = pictures(40, 1)
    others, other_labels = pictures(200, 5)
    gap = sf.profile.separation(rows.reshape(40, -1), labels)
    assert assessed(radius="auto", **FEW)[PMI].provenance.params["radius"] == pytest.approx(0.4 * gap)
    both = sf.profile.separation(
        np.concatenate([rows, others]).reshape(240, -1), np.concatenate([labels, other_labels])
    )
    assert both < gap
    found = assessed(radius="auto", labelled=(others, other_labels), **FEW)
    assert found[PMI].provenance.params["radius"] == pytest.approx(0.4 * both)
    assert {a.id: a.status for a in found[PMI].assumptions}["single-label-balls"] == "supported"


def test_balls_that_reach_other_classes_are_contradicted_with_what_to_do():
    found = assessed(radius=0.45)[PMI]
    (single,) = [a for a in found.assumptions if a.id == "single-label-balls"]
    assert single.status == "contradicted"
    (caveat,) = [c for c in found.caveats if c.code == "assumption-contradicted"]
    assert "radius below half" in caveat.hint


def test_further_labels_speak_against_a_radius_that_the_frame_allows():
    rows, labels = pictures(40, 1)
    gap = sf.profile.separation(rows.reshape(40, -1), labels)
    near = rows[:1] + np.float32(0.01), 1 - labels[:1]
    alone, with_near = (assessed(radius=0.4 * gap, labelled=further, **FEW)[PMI] for further in (None, near))
    statuses = [{a.id: a.status for a in each.assumptions}["single-label-balls"] for each in (alone, with_near)]
    assert statuses == ["supported", "contradicted"]


def test_weights_follow_the_density_in_the_space_of_an_encoder():
    rows, _ = pictures(40, 1)
    field = pictures(60, 7)[0]
    found = assessed(weights="ratio", encoder="pca", dimensions=2, operation=field)
    encoder = sf.profile.PCAEncoder(2).fit(rows)
    expected = sf.profile.latent_weights(encoder, rows, operational=field, scheme="ratio")
    values = dict(found.tables["weights"].rows)
    assert values["equally weighted rows worth as much"] == pytest.approx(expected.effective_rows)
    assert "frame and operation" in found.tables
    assert "heuristic" in {bound.kind for bound in found[PMI].bounds}


def test_operation_that_differs_speaks_against_the_frame():
    found = assessed(operation=np.clip(pictures(60, 7)[0] + 0.4, 0, 1), encoder="pca", dimensions=2)
    (represents,) = [a for a in found[PMI].assumptions if a.id == "frame-represents-operation"]
    assert represents.status == "contradicted"
    assert dict(found.tables["frame and operation"].rows)["a new frame is needed"].startswith("yes")


def test_balls_can_lie_around_decoded_images(usual):
    found = assessed(centres="decoded", encoder="pca", dimensions=2)
    rows, _ = pictures(40, 1)
    encoder = sf.profile.PCAEncoder(2).fit(rows)
    expected = sf.profile.compare_centres(encoder, rows, radius=0.2)
    assert found.tables["rows and their decoded images"] == expected
    assert found[PMI].value != usual[PMI].value


def test_the_result_is_shown_for_several_radii():
    found = assessed(radii=[0.1, 0.3])
    table = found.tables["by radius"]
    assert [row[0] for row in table.rows] == [0.1, 0.2, 0.3]
    values = [row[table.columns.index("by balls")] for row in table.rows]
    assert values == sorted(values)
    assert "by radius" in found.artefacts


def test_only_undesired_answers_count():
    def three(inputs):
        """A third class that nothing is; it is taken for the one where bars are faint."""
        scores = linear(inputs)
        return np.column_stack([scores, scores.max(axis=1) + np.float32(0.3) - scores.mean(axis=1) / 8])

    everything, some = (
        assessed(model=three, classes=(*CLASSES, "none"), undesired=undesired)
        for undesired in (None, {"upright": ["flat"], "flat": ["upright"]})
    )
    assert some[PMI].scope == "bars, upright answered as flat, flat answered as upright, r = 0.2"
    assert 0 < some[ALONE].value < everything[ALONE].value


def test_groups_and_copies_speak_against_independent_rows():
    rows, labels = pictures(40, 1)
    grouped = assessed(groups=np.arange(40) // 4, **FEW)[PMI]
    copied = assessed(rows=(np.concatenate([rows, rows]), np.concatenate([labels, labels])), **FEW)[PMI]
    for found in (grouped, copied):
        assert {a.id: a.status for a in found.assumptions}["independent-trials"] == "contradicted"


def test_what_cannot_be_used_is_an_error_that_says_what_to_do():
    for changes, expected in [
        ({"rows": (255 * pictures(20, 1)[0], pictures(20, 1)[1])}, r"on: inputs must lie in the input range \[0, 1\]"),
        ({"operation": np.zeros((5, 1, 5, 5))}, "same shape in all data sets"),
        ({"operation": np.full((5, *SHAPE), 2.0)}, "operation: inputs must lie in the input range"),
        ({"input_range": (1.0, 0.0)}, "input_range must be"),
        ({"weights": "ratio"}, "ratio needs inputs from operation"),
        ({"centres": "decoded"}, "decoded needs an encoder"),
        ({"radius": 1.5}, "radius must be below"),
        ({"picture": [5, 5]}, "as many values as an input"),
        ({"encoder": "nowhere.safetensors"}, "no such file"),
        ({"rows": (np.zeros((4, *SHAPE)), np.array([0, 1, 0, 1])), "radius": "auto"}, "equal inputs have different"),
        ({"encoder": "pca", "dimensions": 60, "weights": "density"}, "60 directions"),
    ]:
        with told(changes), pytest.raises((sf.InvalidInput, sf.DiagnosticsError), match=expected):
            assessed(**changes)


def test_a_model_that_answers_with_labels_is_counted_and_its_failures_are_shown():
    found = assessed(model=lambda inputs: np.asarray(CLASSES)[linear(inputs).argmax(axis=1)], estimator="auto")
    assert [row[0] for row in found.tables["evidence"].rows] == ["counted"]
    assert b"answered flat" in found.artefacts["riskiest inputs"].content


def test_an_estimator_follows_from_the_model():
    torch = pytest.importorskip("torch")
    network = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(36, 2))
    few = {"particles": 20, "moves": 1, "samples": 9, "budget": 3}
    splitting = "MultilevelSplitting(particles=20, steps=1, rho=0.2"
    for name, expected in (("splitting", splitting), ("interval", splitting), ("monte_carlo", "samples=9")):
        found = assessed(model=network, estimator=name, **few)[PMI].provenance.params["estimator"]
        assert expected in found, name
        assert (name == "splitting") == found.startswith("MultilevelSplitting"), name
    with pytest.raises(sf.InvalidInput, match="cannot be read"):
        assessed(estimator="interval", **few)


def test_designs_have_names():
    for name, kind in {
        "adaptive": "Adaptive",
        "by_weight": "ByWeight",
        "by_risk": "ByRisk",
        "stratified": "Stratified",
        "with_replacement": "WithReplacement",
    }.items():
        found = assessed(design=name, particles=10, moves=1, budget=6)[PMI]
        assert found.provenance.params["design"].startswith(f"{kind}("), name


def test_a_missing_graphics_processor_is_said():
    torch = pytest.importorskip("torch")
    if torch.cuda.is_available():
        pytest.skip("there is a graphics processor")
    model = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(36, 2))
    few = {"particles": 20, "moves": 1, "budget": 3}
    with pytest.raises(sf.InvalidInput, match="no graphics processor"):
        assessed(model=model, device="cuda", **few)
    assert assessed(model=model, device="auto", **few)[PMI].value >= 0
