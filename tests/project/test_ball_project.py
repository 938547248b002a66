"""Reliability in balls from a project file: checked, computed, stopped and resumed, sent elsewhere, verified."""

import json
from itertools import pairwise

import numpy as np
import pytest
import yaml

import surefoot as sf
from surefoot.project import json_schema, verify
from surefoot.report import html
from tests.project.ball_project import SHAPE, BallProject, pictures
from tests.project.cell_project import digests
from tests.refusals import refused, told

pytest.importorskip("torch")
ALL = {"budget": 60, "estimator": "splitting", "rho": 0.2}


@pytest.fixture
def project(tmp_path):
    return BallProject(tmp_path)


@pytest.fixture(scope="module")
def calm(tmp_path_factory):
    """A run that nothing disturbs: its result, and how often the model had been asked after each part, and at last."""
    project, asked = BallProject(tmp_path_factory.mktemp("calm")), []

    def tell(event):
        if event.kind == "computing" and event.total:
            asked.append(project.batches)

    project.set_evidence(**ALL)
    result = project.run(progress=tell)
    return result, asked, project.batches


def test_mistakes_in_the_file_are_found_before_anything_is_run(project):
    for changes, expected in [
        ({"radius": 0}, "wrong-value: evidence.balls.radius must be"),
        ({"radius": "automatic"}, "Did you mean 'auto'?"),
        ({"weights": "densty"}, "Did you mean 'density'?"),
        ({"design": "adaptiv"}, "Did you mean 'adaptive'?"),
        ({"budget": 1}, "wrong-value: evidence.balls.budget must be"),
        ({"input_range": [0]}, "wrong-value: evidence.balls.input_range"),
        ({"within": {"rotatoin": [-9, 9]}}, "wrong-value: evidence.balls.within"),
        ({"within": {"rotation": [9, -9]}}, "wrong-value: evidence.balls.within"),
        ({"within": {"rotation": [-9, 9]}, "strengths": [1.5]}, "wrong-value: evidence.balls.strengths"),
        ({"picture": [28]}, "wrong-value: evidence.balls.picture must be"),
        ({"operation": "fild"}, "unknown-reference: evidence.balls.operation names the data set 'fild'"),
        ({"encoder": "vae.safetensors"}, "file-missing: evidence.balls.encoder names a file that is not there"),
        ({"encoder": "network.py"}, "wrong-value: evidence.balls.encoder must end in .safetensors"),
    ]:
        with told(changes):
            project.set_evidence(**changes)
            with pytest.raises(sf.DiagnosticsError) as caught:
                sf.load(project.file)
            (found,) = caught.value.diagnostics
            assert expected in f"{found.code}: {found.text} {found.hint}"


def test_the_schema_accepts_what_loads_and_refuses_what_does_not(project):
    from jsonschema import Draft202012Validator

    validator = Draft202012Validator(json_schema())
    project.set_evidence(radius="auto", operation="field", encoder="pca", input_range=[0, 1], picture=[1, 6, 6])
    good = yaml.safe_load(project.file.read_text())
    assert [error.message for error in validator.iter_errors(good)] == []
    for changes in ({"radius": -1}, {"radius": "big"}, {"input_range": [0]}, {"rho": 1}, {"raduis": 0.1}):
        bad = json.loads(json.dumps(good))
        bad["evidence"]["balls"] |= changes
        assert not validator.is_valid(bad), changes


def test_a_stopped_step_goes_on_with_what_is_missing(project, calm):
    result, asked, in_all = calm
    project.set_evidence(**ALL)
    assert len(asked) > 3
    project.stop_after((asked[1] + asked[2]) // 2)
    with pytest.raises(KeyboardInterrupt):
        project.run()
    before = project.batches
    assert asked[1] < before < asked[2]
    resumed = project.run()
    assert project.batches - before == in_all - asked[1]
    assert digests(resumed) == digests(result)


def test_progress_is_told_part_by_part(calm):
    assert all(earlier < later for earlier, later in pairwise(calm[1]))


def test_processes_give_the_same(project, calm):
    project.set_evidence(**ALL)
    events = []
    assert digests(project.run(workers=2, progress=events.append)) == digests(calm[0])
    assert [event.name for event in events if event.kind == "note"] == []


def test_an_onnx_model_without_gradients_gives_the_same_in_processes(tmp_path):
    pytest.importorskip("onnxruntime")
    found = []
    for workers in (1, 2):
        folder = tmp_path / str(workers)
        folder.mkdir()
        project, events = BallProject(folder), []
        project.set_onnx()
        found.append(project.run(workers=workers, progress=events.append))
        assert [event.name for event in events if event.kind == "note"] == []
    assert digests(found[0]) == digests(found[1])
    assert "split" in [row[0] for row in found[0].evidence["balls"].tables["evidence"].rows]


@pytest.mark.filterwarnings("ignore")
def test_a_dask_cluster_gives_the_same(project, calm):
    from distributed import LocalCluster

    project.set_evidence(**ALL)
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster:
        assert digests(project.run(dask=cluster.scheduler_address)) == digests(calm[0])


def test_the_page_shows_pictures_and_the_case_its_side_claims(project):
    project.set_evidence(
        targets={
            "risk": {"estimate": "balls.failure probability within radius r of operational inputs", "at_most": 0.5}
        },
        radius="auto",
    )
    result = project.run()
    page = html(result)
    assert "Inputs at the highest risk, a neighbour of each that fails" in page
    assert page.count("image-rendering:pixelated") >= 3
    assumed = {node.assumption.partition("[")[0] for node in result.case if node.assumption}
    assert {"single-label-balls", "uniform-inside", "frame-represents-operation"} <= assumed


def test_what_is_counted_and_what_noise_does_are_two_quantities_and_noise_violates_nothing(project):
    project.set_brittle()
    near = "failure probability within radius r of operational inputs"
    limits = {"at_most": 0.2}
    project.set_evidence(
        targets={
            "counted": {"estimate": "counted.failure probability", **limits},
            "near": {"estimate": f"balls.{near}", **limits},
        },
        more={"counted": {"step": "binomial_bound"}},
        radius="auto",
        budget=200,
        estimator="monte_carlo",
        samples=300,
        particles=None,
        moves=None,
    )
    result = project.run()
    assert {name: verdict.status for name, verdict in result.verdicts.items()} == {
        "counted": "met",
        "near": "not shown",
    }
    found = result[f"balls.{near}"]
    assert found.lower(0.95) > 0.2
    assert "contradicted-by-tests" in {caveat.code for caveat in found.caveats}
    assert found.scope == f"bars, r = {found.provenance.params['radius']:.4g}"
    page = html(result).partition("<nav")[0]
    assert f"of {found.scope}" in page
    assert "Tests speak against the number behind near" in page
    assert result.disagreements == ()


def test_a_saved_autoencoder_is_read_and_a_change_of_it_is_noticed(project):
    vae = sf.profile.VAE(2, channels=(4,), epochs=1)
    vae.fit(pictures(64, 3)[0]).save(project.folder / "vae.safetensors")
    changes = {"weights": "density", "encoder": "vae.safetensors", "operation": "field", "radius": "auto"}
    project.set_evidence(**changes, centres="decoded")
    result = project.run()
    found = result.evidence["balls"]
    assert {"weights", "frame and operation", "rows and their decoded images"} <= set(found.tables)
    assert "evidence.balls.encoder" in result.digests
    recorded = json.loads(json.dumps(result.to_dict()))
    vae.fit(pictures(64, 4)[0]).save(project.folder / "vae.safetensors")
    assert project.run().keys["balls"] != result.keys["balls"]
    different = {
        each.what for each in verify(recorded, sf.load(project.folder)).comparisons if not each.same and each.matters
    }
    assert "file evidence.balls.encoder" in different


def test_a_vae_reads_rows_of_features_of_another_range_as_pictures(project):
    inputs, labels = pictures(60, 1)
    rows = {"test": inputs, "field": pictures(80, 2)[0]}
    vae = sf.profile.VAE(2, channels=(4,), epochs=1).fit(inputs)
    vae.save(project.folder / "vae.safetensors")
    changes = {"weights": "density", "encoder": "vae.safetensors", "operation": "field", "picture": list(SHAPE)}
    project.set_evidence(**changes)
    usual = project.run().evidence["balls"].tables["weights"]
    for name, values in rows.items():
        bytes_of = (255 * values.reshape(len(values), -1)).astype(np.float32)
        project.set_rows(name, bytes_of, labels if name == "test" else np.zeros(len(values), int))
    project.set_evidence(**changes, input_range=[0, 255], radius=51)
    scaled = project.run().evidence["balls"].tables["weights"]
    for (_, one), (_, other) in zip(usual.rows, scaled.rows, strict=True):
        assert other == pytest.approx(one, rel=1e-3)


def test_a_variation_in_place_of_noise_is_named_wherever_its_number_is(project):
    words = "turbidity (thickness uniform from 0 to 0.5, veil 0.5 of full scale)"
    quantity = "failure probability within variation v of operational inputs"
    project.set_evidence(
        targets={"murky": {"estimate": f"balls.{quantity}", "at_most": 0.9}},
        radius=None,
        estimator="monte_carlo",
        samples=50,
        particles=None,
        moves=None,
        budget=60,
        within={"turbidity": {"thickness": [0, 0.5]}},
        strengths=[0.5],
    )
    result = project.run()
    evidence = result.evidence["balls"]
    assert evidence[quantity].scope == f"bars, v = {words}"
    table = evidence.tables["by strength"]
    assert [row[0] for row in table.rows] == [0.5, 1.0]
    # The curve ends at what is signed.
    assert table.rows[-1][table.columns.index("pmi")] == pytest.approx(evidence[quantity].value)
    assert "by strength" in evidence.artefacts
    texts = " ".join(node.text for node in result.case.nodes.values())
    assert words in texts
    assert "Nothing is said of any other variation" in texts
    assert "distributed uniformly" not in texts
    assert "within ``radius``" not in texts
    page = html(result)
    assert "variation-as-in-operation" in page
    assert "by strength" in page


WATER = """
import numpy as np


def murky(inputs, slope=0.0):
    from helper import veiled
    return veiled(inputs, slope)


def grainy(inputs, spread, rngs):
    grains = [rng.normal(0, size, each.shape) for rng, size, each in zip(rngs, spread, inputs)]
    return np.clip(inputs + np.stack(grains), 0, 1)


def short(inputs, slope):
    return inputs[:, :, 1:]


def broken(inputs, slope):
    raise RuntimeError("no water")


def restless(inputs, slope):
    return np.random.random(inputs.shape)
"""
HELPER = """
import numpy as np


def veiled(inputs, slope):
    kept = np.exp(-slope)[:, None, None, None]
    return inputs * kept + 0.5 * (1 - kept)
"""
COUNTED = {
    "radius": None,
    "estimator": "monte_carlo",
    "samples": 50,
    "particles": None,
    "moves": None,
    "budget": 60,
}


@pytest.fixture
def water(project):
    (project.folder / "water.py").write_text(WATER)
    (project.folder / "helper.py").write_text(HELPER)
    return project


def test_a_function_of_the_project_varies_inputs_like_the_same_by_name(water):
    quantity = "balls.failure probability within variation v of operational inputs"
    changes = {**COUNTED, "strengths": [0.5]}
    water.set_evidence(**changes, within={"turbidity": {"thickness": [0, 0.5]}})
    named = water.run()
    water.set_evidence(**changes, within={"water:murky": {"slope": [0, 0.5]}})
    assert sf.project.check(sf.load(water.file)) == []
    own = water.run()
    assert own[quantity].value == pytest.approx(named[quantity].value, abs=1e-9)
    assert own[quantity].scope == "bars, v = water:murky (slope uniform from 0 to 0.5)"
    assert str(water.folder) not in json.dumps(own.to_dict())
    strengths = [row[1] for row in own.evidence["balls"].tables["by strength"].rows]
    assert strengths[0] == "water:murky (slope uniform from 0 to 0.25)"
    # What it imports is part of what the result rests on.
    (water.folder / "helper.py").write_text(f"{HELPER}# more\n")
    assert sf.load(water.file).definition.steps
    changed = water.run(workers=2)
    assert changed.keys["balls"] != own.keys["balls"]
    assert changed.digests["evidence.balls.within water:murky"] != own.digests["evidence.balls.within water:murky"]
    assert changed[quantity].value == own[quantity].value


def test_check_tells_of_functions_that_cannot_vary_inputs(water):
    def found():
        try:
            return sf.project.check(sf.load(water.file))
        except sf.DiagnosticsError as error:
            return error.diagnostics

    for within, code, said in [
        ({"water:grainy": {"spread": [0, 0.1]}, "brightness": [-0.1, 0.1]}, None, ""),
        ({"watr:murky": {"slope": [0, 1]}}, "unknown-reference", "Did you mean 'water'?"),
        ({"water:murk": {"slope": [0, 1]}}, "unknown-reference", "Did you mean 'murky'?"),
        ({"water:murky": {"depth": [0, 1]}}, "variation-function", "it takes no 'depth'"),
        ({"water:short": {}}, "variation-function", "it needs 'slope'"),
        ({"water:murky": {"slope": [1, 0]}}, "wrong-value", "water:murky: slope has no distribution"),
        ({"water:short": {"slope": [0, 1]}}, "variation-function", "of the shape and type"),
        ({"water:broken": {"slope": [0, 1]}}, "variation-function", "no water"),
        ({"water:restless": {"slope": [0, 1]}}, "variation-function", "otherwise the second time"),
    ]:
        with told(within):
            water.set_evidence(**COUNTED, within=within)
            problems = found()
            assert [each.code for each in problems] == ([code] if code else [])
            assert said in " ".join(f"{each.text} {each.hint}" for each in problems)


def test_a_variation_has_no_radius_and_keys_without_one_stay(project):
    for changes, said in [
        ({"within": {"rotation": [-9, 9]}}, "a variation has no radius"),
        ({"within": {"rotation": [-9, 9]}, "radius": "auto", "radii": [0.1]}, "a variation has no radius"),
        ({"strengths": [0.5]}, "strengths are those of a variation"),
    ]:
        project.set_evidence(**changes)
        with refused(changes, sf.SurefootError, match=said):
            project.run()
    project.set_evidence()
    (task,) = sf.project.plan(sf.load(project.file))
    assert not {"within", "strengths"} & set(task.parameters)
    project.set_evidence(within={"rotation": [-9, 9]}, radius=None)
    (task,) = sf.project.plan(sf.load(project.file))
    assert "within" in task.parameters
    assert "strengths" not in task.parameters
