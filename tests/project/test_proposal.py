"""Projects proposed from a model and its data: what is found, what is guessed, and what is asked for instead."""

import json
import textwrap

import numpy as np
import pytest
import skops.io
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.multioutput import MultiOutputClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder

from surefoot.core import DiagnosticsError
from surefoot.project import load, propose, run

pd = pytest.importorskip("pandas", reason="frames are written by pandas")

ROWS = 400


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    found = pd.DataFrame({"force": rng.normal(size=ROWS), "gap": rng.normal(size=ROWS)})
    return found.assign(state=np.where(found.force + found.gap > 0, "shut", "clear"))


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "new").mkdir()
    return tmp_path


def guessed(proposal):
    return {guess.key: guess.value for guess in proposal.guesses if not guess.certain}


def written(proposal, folder):
    """The project as somebody finds it who reads the file."""
    (folder / "surefoot.yaml").write_text(proposal.text)
    project = load(folder)
    assert project.definition == proposal.project.definition
    return project


def failures(proposal, folder):
    found = run(written(proposal, folder)).evidence["errors"]["failure probability"]
    return found.details["failures"], found.details["trials"]


def problem(**said):
    with pytest.raises(DiagnosticsError) as found:
        propose("new", **said)
    return found.value.diagnostics[0]


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_an_estimator_over_named_columns_needs_no_guess_of_columns_and_classes(here, frame, ending):
    fitted = LogisticRegression().fit(frame[["gap", "force"]], frame.state)
    skops.io.dump(fitted, "guard.skops")
    frame = frame.assign(state=np.where(np.arange(ROWS) < 3, "shut", frame.state), weather="dry")
    frame.to_csv("test.csv", index=False) if ending == "csv" else frame.to_parquet("test.parquet")
    found = propose("new", model="guard.skops", data=f"test.{ending}", target=0.1)
    assert guessed(found).keys() == {"labels"}
    part = found.project.definition.components["guard"]
    assert part.classes == ["clear", "shut"]
    assert part.data["test"].inputs == ["gap", "force"]
    assert part.data["test"].path == f"../test.{ending}"
    wrong = int((fitted.predict(frame[["gap", "force"]]) != frame.state).sum())
    assert wrong
    assert failures(found, here / "new") == (wrong, ROWS)
    assert found.project.definition.targets["errors"].at_most == 0.1


def test_types_that_only_hold_numbers_are_listed_and_others_must_be_trusted(here, frame):
    frame.to_csv("test.csv", index=False)
    inputs = frame[["force", "gap"]].to_numpy()
    skops.io.dump(RandomForestClassifier(5, random_state=0).fit(inputs, frame.state), "forest.skops")
    found = propose("new", model="forest.skops", data="test.csv")
    assert found.project.definition.components["forest"].model.trust == ["sklearn.tree._tree.Tree"]
    scaled = make_pipeline(FunctionTransformer(np.nan_to_num), LogisticRegression()).fit(inputs, frame.state)
    skops.io.dump(scaled, "scaled.skops")
    refused = problem(model="scaled.skops", data="test.csv")
    assert refused.code == "model-untrusted"
    assert "--trust numpy.nan_to_num" in refused.hint
    assert failures(propose("new", model="scaled.skops", data="test.csv", trust=["numpy.nan_to_num"]), here / "new")


def test_a_graph_without_names_gets_the_columns_of_numbers_and_numbered_classes(here, frame):
    skl2onnx = pytest.importorskip("skl2onnx", reason="the onnx extra is not installed")
    kind = pytest.importorskip("skl2onnx.common.data_types").FloatTensorType([None, 2])
    truth = (frame.state == "shut").astype(int)
    fitted = LogisticRegression().fit(frame[["force", "gap"]].to_numpy(), truth)
    graph = skl2onnx.to_onnx(fitted, initial_types=[("x", kind)], options={"zipmap": False})
    (here / "guard.onnx").write_bytes(graph.SerializeToString())
    frame.assign(state=truth, id=range(ROWS)).rename(columns={"state": "target"}).to_csv("test.csv", index=False)
    found = propose("new", model="guard.onnx", data="test.csv")
    assert guessed(found)["inputs"] == ["force", "gap"]
    assert any("'id'" in remark for remark in found.remarks)
    assert found.project.definition.components["guard"].classes == []
    assert failures(found, here / "new")[1] == ROWS


def test_a_graph_over_the_columns_of_a_table_needs_no_guess_of_columns_and_classes(here, frame):
    skl2onnx = pytest.importorskip("skl2onnx", reason="the onnx extra is not installed")
    frame["soil"] = np.where(np.arange(ROWS) % 3, "clay", "sand")
    encoded = make_column_transformer((OneHotEncoder(), ["soil"]), ("passthrough", ["force", "gap"]))
    fitted = make_pipeline(encoded, LogisticRegression()).fit(frame.drop(columns="state"), frame.state)
    one = frame[["gap", "soil", "force"]][:1].astype({"gap": np.float32, "force": np.float32})
    options = {id(fitted): {"zipmap": True}}
    (here / "guard.onnx").write_bytes(skl2onnx.to_onnx(fitted, one, options=options).SerializeToString())
    frame["state"] = np.where(np.arange(ROWS) < 3, "shut", frame.state)
    frame.to_csv("test.csv", index=False)
    frame.drop(columns="state").to_parquet("field.parquet")
    found = propose("new", model="guard.onnx", data="test.csv", operation="field.parquet", target=0.1)
    assert guessed(found) == {"labels": "state"}
    part = found.project.definition.components["guard"]
    assert part.classes == ["clear", "shut"]
    assert part.data["test"].inputs == ["gap", "soil", "force"]
    assert part.data["operation"].inputs == ["gap", "soil", "force"]
    wrong = int((fitted.predict(frame.drop(columns="state")) != frame.state).sum())
    assert failures(found, here / "new") == (wrong, ROWS)


def test_what_is_wrong_with_a_table_is_said_with_its_place(here, frame):
    fitted = LogisticRegression().fit(frame[["gap", "force"]], frame.state)
    skops.io.dump(fitted, "guard.skops")

    def refused(table):
        table.to_csv("test.csv", index=False)
        return problem(model="guard.skops", data="test.csv")

    assert refused(frame[:0]).code == "data-empty"
    gaps = frame.assign(state=frame.state.where(frame.index != 4))
    assert (refused(gaps).code, refused(gaps).where) == ("data-missing-values", "../test.csv:6")
    unclear = refused(gaps.assign(note="x"))
    assert unclear.code == "not-guessed"
    assert "'state' is empty (../test.csv:6)" in unclear.text
    twice = refused(frame.assign(other=frame.state))
    assert "classes of the model are in 'state', 'other'" in twice.text


def test_a_torch_module_with_labels_of_text_guesses_the_order_and_says_so(here, frame, monkeypatch):
    torch = pytest.importorskip("torch", reason="the torch extra is not installed")
    safetensors = pytest.importorskip("safetensors.torch")
    (here / "network.py").write_text("import torch\ndef build():\n    return torch.nn.Linear(2, 2)\n")
    module = torch.nn.Linear(2, 2)
    safetensors.save_model(module, "network.safetensors")
    frame.to_csv("test.csv", index=False)
    said = {"model": "network:build", "weights": "network.safetensors", "data": "test.csv"}
    assert problem(**said).code == "file-missing"
    found = propose(".", **said)
    assert guessed(found)["classes"] == ["clear", "shut"]
    assert any("order of the classes is guessed" in remark for remark in found.remarks)
    assert "guessed: labels in sorted order" in found.text
    other = propose(".", **said, classes=["shut", "clear"])
    assert "classes" not in guessed(other)
    first, second = failures(found, here), failures(other, here)
    assert first[0] + second[0] == ROWS, "with classes the other way round, right is wrong"


def test_a_function_that_answers_labels_needs_no_classes(here, frame):
    (here / "rule.py").write_text(
        "import numpy as np\ndef judge(rows):\n    return np.where(rows.sum(axis=1) > 0.1, 'shut', 'clear')\n"
    )
    frame.to_csv("test.csv", index=False)
    found = propose(".", model="rule:judge", data="test.csv")
    assert found.project.definition.components["judge"].classes == []
    wrong = int(((frame.force + frame.gap > 0.1) != (frame.state == "shut")).sum())
    assert failures(found, here) == (wrong, ROWS)


def test_labels_of_text_meet_a_model_that_numbers_its_classes(here, frame):
    inputs, shut = frame[["force", "gap"]].to_numpy(), (frame.state == "shut").to_numpy()
    skops.io.dump(LogisticRegression().fit(inputs, shut), "guard.skops")
    frame.assign(state=shut).to_csv("truth.csv", index=False)
    found = propose("new", model="guard.skops", data="truth.csv", labels="state")
    assert found.project.definition.components["guard"].classes == ["False", "True"]
    assert "classes" not in guessed(found), "false is 0"
    assert failures(found, here / "new")[0] < 20
    frame.to_csv("words.csv", index=False)
    words = propose("new", model="guard.skops", data="words.csv", labels="state")
    assert guessed(words)["classes"] == ["clear", "shut"]


@pytest.mark.parametrize(
    ("columns", "task", "key"),
    [
        ({"truth": ["car", "tree"] * 200, "predicted": ["car", "car"] * 200}, "classification", "scores"),
        ({"y": np.linspace(0, 9.5, ROWS), "prediction": np.linspace(0, 9.9, ROWS)}, "regression", "predictions"),
        ({"label": ["a", "b"] * 200, "p_a": [0.9, 0.2] * 200, "p_b": [0.1, 0.8] * 200}, "classification", "scores"),
        ({"failed": [0, 1] * 200, "score": [0.5] * 400}, "custom", "failed"),
        (
            {"expected": [f"text {n}" for n in range(ROWS)], "response": [f"text {n % 399}" for n in range(ROWS)]},
            "text",
            "predictions",
        ),
    ],
    ids=["answers", "numbers", "scores", "marks", "texts"],
)
def test_answers_made_elsewhere_need_no_model(here, columns, task, key):
    pd.DataFrame(columns).to_csv("answers.csv", index=False)
    found = propose("new", data="answers.csv")
    assert found.project.definition.components["new"].task == task
    assert key in guessed(found)
    assert failures(found, here / "new")[1] == ROWS


def test_a_regressor_gets_a_tolerance_that_is_called_a_guess(here, frame):
    truth = 3 * frame.force + frame.gap
    skops.io.dump(LinearRegression().fit(frame[["force", "gap"]], truth), "price.skops")
    frame.drop(columns="state").assign(price=truth).to_csv("test.csv", index=False)
    found = propose("new", model="price.skops", data="test.csv")
    part = found.project.definition.components["price"]
    assert part.task == "regression"
    spread = np.quantile(truth, 0.95) - np.quantile(truth, 0.05)
    assert part.tolerance == pytest.approx(spread / 10, rel=0.5)
    assert "tolerance" in guessed(found)
    assert any("tolerance" in remark for remark in found.remarks)
    assert failures(found, here / "new") == (0, ROWS)


def test_rows_of_groups_are_bounded_as_groups(here, frame):
    frame.assign(predicted=frame.state, patient=np.arange(ROWS) // 8).to_csv("test.csv", index=False)
    found = propose("new", data="test.csv", labels="state")
    assert found.project.definition.evidence["errors"].parameters == {"groups": "use", "max_group_size": 8}
    assert guessed(found)["groups"] == "patient"
    assert "# guessed: no group in operation has more rows" in found.text
    bounded = run(written(found, here / "new"))["errors.failure probability"]
    assert bounded.value == 0
    assert bounded.details["groups"] == ROWS / 8


def test_rows_from_operation_give_a_step_and_the_values_that_tests_lack(here, frame):
    skops.io.dump(LogisticRegression().fit(frame[["force", "gap"]], frame.state), "guard.skops")
    rng = np.random.default_rng(1)
    frame.assign(light=rng.choice(["day", "dusk"], ROWS)).to_csv("test.csv", index=False)
    field = frame.drop(columns="state").assign(light=rng.choice(["day", "night"], ROWS))
    field.to_parquet("field.parquet")
    found = propose("new", model="guard.skops", data="test.csv", labels="state", operation="field.parquet")
    assert found.project.definition.conditions.odd == {"light": ["day", "dusk", "night"]}
    assert any("night" in remark for remark in found.remarks)
    result = run(written(found, here / "new"))
    assert result["operation.failure probability"].upper(0.95) < 1
    field.drop(columns="gap").to_csv("less.csv", index=False)
    refused = problem(model="guard.skops", data="test.csv", labels="state", operation="less.csv")
    assert (refused.code, refused.where) == ("data-column", "less.csv")
    assert "'gap'" in refused.text


def test_too_few_rows_for_the_target_are_said_before_the_first_run(here):
    pd.DataFrame({"truth": ["a", "b"] * 183, "predicted": ["a", "b"] * 183}).to_csv("less.csv", index=False)
    pd.DataFrame({"truth": ["a", "b"] * 184, "predicted": ["a", "b"] * 184}).to_csv("enough.csv", index=False)
    less = propose("new", data="less.csv", target=0.01)
    assert any("it takes 368 " in remark for remark in less.remarks)
    enough = propose("new", data="enough.csv", target=0.01)
    assert not any("cannot show" in remark for remark in enough.remarks)
    assert not run(written(less, here / "new")).met
    assert run(written(enough, here / "new")).met, "the least number shows it"


@pytest.mark.parametrize(
    ("columns", "said", "code", "word"),
    [
        ({"a": [0.1, 0.2], "b": [1.5, 2.5]}, {}, "not-guessed", "--model"),
        ({"a": [0.1, 0.2], "predicted": ["x", "y"]}, {}, "not-guessed", "--labels"),
        ({"truth": ["x", "y"], "passed": [0, 1]}, {}, "not-guessed", "'passed'"),
        ({"truth": ["x", "y"]}, {"labels": "trut"}, "data-column", "truth"),
        ({"truth": ["x", "y", "z"], "score": [0.5, 0.6, 0.7]}, {}, "not-guessed", "--classes"),
        ({"truth": [], "predicted": []}, {}, "data-empty", "no rows"),
    ],
)
@pytest.mark.usefixtures("here")
def test_what_is_not_plain_is_asked_for(columns, said, code, word):
    pd.DataFrame(columns).to_csv("answers.csv", index=False)
    found = problem(data="answers.csv", **said)
    assert found.code == code
    assert word in f"{found.text} {found.hint}"


def test_a_model_of_other_columns_or_classes_is_refused(here, frame):
    inputs = frame[["force", "gap"]]
    skops.io.dump(LogisticRegression().fit(inputs.to_numpy(), frame.state), "guard.skops")
    frame.assign(more=1.5, most=2.5).to_csv("test.csv", index=False)
    found = problem(model="guard.skops", data="test.csv")
    assert found.code == "not-guessed"
    assert "--inputs" in found.hint
    assert propose("new", model="guard.skops", data="test.csv", inputs=["force", "gap"])
    frame.assign(state=frame.state.str.upper()).to_csv("upper.csv", index=False)
    assert problem(model="guard.skops", data="upper.csv", labels="state").code == "data-classes"


def test_arrays_images_and_code_are_taken_too(here):
    image = pytest.importorskip("PIL.Image")
    rng = np.random.default_rng(0)
    for name, low in (("dark", 0), ("light", 128)):
        (here / "images" / name).mkdir(parents=True)
        for number in range(20):
            pixels = np.full((4, 4, 3), rng.integers(low, low + 127), np.uint8)
            image.fromarray(pixels).save(here / "images" / name / f"{number}.png")
    (here / "code.py").write_text(
        textwrap.dedent("""
        import numpy as np
        def bright(images):
            light = (images.mean(axis=(1, 2, 3)) > 127.5).astype(float)
            return np.column_stack([1 - light, light])
        def rows():
            inputs = np.linspace(-1, 1, 100)[:, None]
            return {"inputs": inputs, "labels": (inputs[:, 0] > 0).astype(int)}
        def sign(rows):
            return (rows[:, 0] > 0).astype(int)
        """)
    )
    assert failures(propose(".", model="code:bright", data="images"), here) == (0, 40)
    assert failures(propose(".", model="code:sign", data="code:rows"), here) == (0, 100)
    np.savez("rows.npz", X=np.linspace(-1, 1, 50)[:, None], y=np.arange(50) >= 25)
    assert failures(propose(".", model="code:sign", data="rows.npz"), here) == (0, 50)


def test_lines_of_a_harness_are_taken_as_they_are(here):
    lines = [json.dumps({"id": n, "failed": int(n % 50 == 0), "cluster": f"d{n // 4}"}) for n in range(200)]
    (here / "results.jsonl").write_text("\n".join(lines))
    found = propose("new", data="results.jsonl")
    assert guessed(found)["groups"] == "cluster"
    assert run(written(found, here / "new"))["errors.failure probability"].value == 4 / 200


def test_names_of_columns_cannot_break_the_file(here):
    names = ["a: [b", "# c", "true", "d'e\"f", "ünï"]
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(60, 5)), columns=names)
    frame["y"] = (frame[names[0]] > 0).astype(int)
    skops.io.dump(LogisticRegression().fit(frame[names], frame.y), "odd.skops")
    frame.to_csv("odd name: #1.csv", index=False)
    found = propose("new", model="odd.skops", data="odd name: #1.csv")
    assert written(found, here / "new").definition.components["odd"].data["test"].inputs == names


# Several labels a row, boxes and masks.


@pytest.fixture
def labels():
    """What is there, and answers of which ten are wrong."""
    truth = (np.random.default_rng(1).random((ROWS, 2)) < 0.4).astype(int)
    answers = truth.copy()
    answers[:10, 0] = 1 - answers[:10, 0]
    return truth, answers


def test_an_id_that_repeats_names_what_was_asked_several_times(here):
    rows = {"id": np.repeat(np.arange(200), 2), "failed": np.arange(400) % 40 == 0}
    pd.DataFrame(rows).astype(int).to_csv("runs.csv", index=False)
    found = propose("new", data="runs.csv")
    assert guessed(found)["groups"] == "id"
    (estimate,) = run(written(found, here / "new")).evidence["errors"].estimates
    assert estimate.details["groups"] == 200


def test_columns_of_several_labels_are_found_by_their_names(here, labels):
    truth, answers = labels
    named = {"label_fire": truth[:, 0], "label_smoke": truth[:, 1]}
    pd.DataFrame(named | {"pred_fire": answers[:, 0], "pred_smoke": answers[:, 1]}).to_csv("tags.csv", index=False)
    found = propose("new", data="tags.csv")
    part = found.project.definition.components["new"]
    assert (part.task, part.classes) == ("multilabel", ["fire", "smoke"])
    assert guessed(found)["predictions"] == ["pred_fire", "pred_smoke"]
    assert failures(found, here / "new") == (10, ROWS)
    plain = pd.DataFrame({"fire": truth[:, 0], "smoke": truth[:, 1], "a": answers[:, 0], "b": answers[:, 1]})
    plain.to_csv("plain.csv", index=False)
    stated = propose("new", data="plain.csv", labels="fire,smoke", predictions=["a", "b"])
    assert failures(stated, here / "new") == (10, ROWS)
    np.savez("tags.npz", labels=truth, predictions=answers)
    assert failures(propose("new", data="tags.npz"), here / "new") == (10, ROWS)


def test_a_model_of_several_labels_answers_each(here, frame):
    truth = pd.DataFrame({"right": (frame.force > 0).astype(int), "left": (frame.gap > 0).astype(int)})
    inputs = frame[["force", "gap"]]
    fitted = MultiOutputClassifier(LogisticRegression()).fit(inputs, truth)
    skops.io.dump(fitted, "sides.skops")
    inputs.join(truth).to_csv("test.csv", index=False)
    found = propose("new", model="sides.skops", data="test.csv")
    assert guessed(found)["labels"] == ["right", "left"]
    wrong = int((fitted.predict(inputs) != truth.to_numpy()).any(axis=1).sum())
    assert failures(found, here / "new") == (wrong, ROWS)


def test_rows_with_exactly_one_label_are_remarked(here):
    np.savez("one.npz", labels=np.eye(3, dtype=int)[np.arange(90) % 3], predictions=np.eye(3, dtype=int)[[0] * 90])
    assert any("argmax" in remark for remark in propose("new", data="one.npz").remarks)


@pytest.fixture
def street(here):
    """Pictures of one bright box each, true and answered boxes in COCO's form, masks; five answers are missing."""
    pillow = pytest.importorskip("PIL.Image")
    images, boxes, results = [], [], []
    for folder in ("pictures", "masks", "answered", "aside"):
        (here / folder).mkdir()
    for n in range(40):
        x, y = n % 20, n % 13
        mask = np.zeros((40, 60), np.uint8)
        mask[y : y + 12, x : x + 15] = 1
        pillow.fromarray(np.repeat(255 * mask[:, :, None], 3, axis=2)).save(here / "pictures" / f"{n:02}.png")
        pillow.fromarray(mask).save(here / "masks" / f"{n:02}.png")
        pillow.fromarray(mask if n >= 5 else 0 * mask).save(here / "answered" / f"{n:02}.png")
        images.append({"id": n, "file_name": f"{n:02}.png", "width": 60, "height": 40})
        boxes.append({"id": n, "image_id": n, "category_id": 3, "bbox": [x, y, 15, 12], "iscrowd": 0})
        results += [{"image_id": n, "category_id": 3, "bbox": [x, y, 15, 12], "score": 0.9}] if n >= 5 else []
    pillow.fromarray(mask).save(here / "aside" / "00.png")
    truth = {"images": images, "annotations": boxes, "categories": [{"id": 3, "name": "car"}]}
    (here / "truth.json").write_text(json.dumps(truth))
    (here / "results.json").write_text(json.dumps(results))
    rows = [f"{b['image_id'] + 1},1,{','.join(map(str, b['bbox']))},1,1,1" for b in boxes]
    (here / "gt.txt").write_text("\n".join(rows))
    (here / "det.txt").write_text("\n".join(row for n, row in enumerate(rows) if n >= 5))
    return here


@pytest.mark.parametrize(
    ("data", "answers", "task", "failed"),
    [
        ("truth.json", "results.json", "detection", (5, 40)),
        ("gt.txt", "det.txt", "detection", (5, 40)),
        ("masks", "answered", "segmentation", (5, 40)),
    ],
)
def test_files_of_boxes_and_masks_say_their_task(street, data, answers, task, failed):
    found = propose("new", data=data, predictions=[answers])
    assert guessed(found)["task"] == task
    assert failures(found, street / "new") == failed
    asked = problem(data=data)
    assert asked.code == "not-guessed"
    assert "--predictions" in asked.hint


def test_masks_of_objects_on_both_sides_are_a_segmentation(street):
    truth, results = (json.loads((street / name).read_text()) for name in ("truth.json", "results.json"))
    for row in (*truth["annotations"], *results):
        x, y, wide, high = row["bbox"]
        row["segmentation"] = [[x, y, x + wide, y, x + wide, y + high, x, y + high]]
    (street / "with_masks.json").write_text(json.dumps(truth))
    found = propose("new", data="with_masks.json", predictions=["results.json"])
    assert guessed(found)["task"] == "detection"
    assert any("masks of objects too" in remark for remark in found.remarks)
    (street / "masks.json").write_text(json.dumps(results))
    found = propose("new", data="with_masks.json", predictions=["masks.json"])
    assert guessed(found)["task"] == "segmentation"
    assert "a mask is spurious" in found.text
    assert failures(found, street / "new") == (5, 40)


def test_tracks_of_the_truth_bring_the_lines_of_encounters(street):
    text = propose("new", data="gt.txt", predictions=["det.txt"]).text
    assert "# in-time: {step: encounter_bound, function: timing}" in text
    assert "encounter_bound" not in propose("new", data="truth.json", predictions=["results.json"]).text


def test_arrays_of_masks_are_a_segmentation(here):
    masks = np.zeros((30, 8, 9), int)
    masks[:, 2:5] = 1
    np.savez("masks.npz", truth=masks, predictions=np.where(np.arange(30)[:, None, None] < 4, 0, masks))
    assert failures(propose("new", data="masks.npz"), here / "new") == (4, 30)


def test_models_look_at_the_only_folder_that_has_every_picture(street):
    (street / "look.py").write_text(
        "import numpy as np\n\n\ndef boxes(pictures):\n    found = []\n    for picture in pictures:\n"
        "        rows, columns = np.nonzero(picture[..., 0])\n"
        "        box = [columns.min(), rows.min(), columns.max() + 1, rows.max() + 1]\n"
        "        found.append({'boxes': [box], 'scores': [0.9], 'labels': [0]})\n    return found\n\n\n"
        "def masks(pictures):\n    return (np.asarray(pictures)[..., 0] > 0).astype(int)\n"
    )
    # Masks lie beside the pictures and have their names.
    with pytest.raises(DiagnosticsError, match="answered, masks, pictures have all of them"):
        propose(".", model="look:boxes", data="truth.json")
    assert failures(propose(".", model="look:masks", data="masks", images="pictures"), street) == (0, 40)
    for folder in ("answered", "masks"):
        (street / folder).rename(street / "new" / folder)
    found = propose(".", model="look:boxes", data="truth.json")
    assert guessed(found) == {"images": "pictures", "classes": ["car"], "target": 0.05, "task": "detection"}
    assert failures(found, street) == (0, 40)


def test_outputs_of_a_detector_are_taken_by_their_names_or_asked_for(street):
    onnx = pytest.importorskip("onnx")
    from onnx import TensorProto, helper, numpy_helper

    def write(boxes, scores):
        nodes = [
            helper.make_node("ReduceMean", ["x"], ["mean"], keepdims=0),
            helper.make_node("Mul", ["mean", "zero"], ["nothing"]),
            helper.make_node("Add", ["b", "nothing"], [boxes]),
            helper.make_node("Add", ["s", "nothing"], [scores]),
        ]
        values = {"b": [[0.1, 0.1, 0.5, 0.5]], "s": [[0.9]], "zero": 0}
        given = [numpy_helper.from_array(np.array(value, np.float32), name) for name, value in values.items()]
        taken = [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3, 32, 32])]
        shapes = ((boxes, [1, 4]), (scores, [1, 1]))
        made = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in shapes]
        graph = helper.make_graph(nodes, "detector", taken, made, given)
        opsets = [helper.make_opsetid("", 13)]
        onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=8), street / "detector.onnx")

    said = {"model": "detector.onnx", "data": "truth.json", "images": "pictures"}
    write("boxes", "scores")
    found = propose("new", **said)
    assert guessed(found)["detector"] == {"boxes": "boxes", "scores": "scores", "unit": "share"}
    assert failures(found, street / "new")[1] == 40
    write("first", "second")
    asked = problem(**said)
    assert asked.code == "not-guessed"
    assert "first, second" in asked.text
    assert "--detector" in asked.hint
    stated = {"boxes": "first", "scores": "second", "unit": "share"}
    assert "detector" not in guessed(propose("new", **said, detector=stated))
