"""Everything that reads a file: how it is called, and files that it accepts, from which damage starts."""

import csv
import io
import json
import shutil
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

import surefoot as sf
from surefoot import adapters, case, hazards, monitors, profile, project, watch
from surefoot.hazards import labels

ROOT = Path(__file__).parents[2]
START = ROOT / "src" / "surefoot" / "cli" / "templates" / "start"
EXAMPLES = ROOT / "examples"


@dataclass(frozen=True)
class Reader:
    """What reads a kind of file. ``seeds`` writes files that it accepts into a folder; ``read`` gets a damaged one."""

    name: str
    seeds: Callable[[Path], list[Path]]
    read: Callable[[Path], object]
    in_a_process_of_its_own: bool = False
    """Whether the product reads it in a process of its own, so that a crash in foreign code is an error like others."""


@cache
def assessed():
    """The project that ``surefoot init`` starts with, and its result."""
    folder = scratch() / "start"
    shutil.copytree(START, folder, dirs_exist_ok=True)
    made = project.load(folder)
    return made, project.run(made, store=project.Store.open(folder / ".surefoot"))


@cache
def scratch():
    from tempfile import mkdtemp

    return Path(mkdtemp(prefix="harden-"))


def written(folder, texts):
    paths = []
    for name, text in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(text.encode() if isinstance(text, str) else text)
        paths.append(folder / name)
    return paths


# Projects.


def project_seeds(folder):
    found = []
    for source in (START, *(EXAMPLES / name for name in ("screening_barriers", "safe_distance", "inspection_vehicle"))):
        if source.is_dir():
            shutil.copytree(source, folder / source.name, ignore=shutil.ignore_patterns(".surefoot", "*.html", "*.png"))
            found.append(folder / source.name / "surefoot.yaml")
    return found


# Fault trees.

MEF = """<?xml version="1.0"?>
<opsa-mef><define-fault-tree name="brake">
<define-gate name="top"><or><gate name="g1"/>
<atleast min="2"><event name="a"/><event name="b"/><event name="c"/></atleast></or></define-gate>
<define-gate name="g1"><and><basic-event name="a"/>
<not><house-event name="h"/></not><basic-event name="d"/></and></define-gate>
<define-basic-event name="a"><float value="0.01"/></define-basic-event>
<define-basic-event name="b">
<exponential><parameter name="l"/><system-mission-time/></exponential></define-basic-event>
<define-basic-event name="c">
<lognormal-deviate><float value="0.01"/><float value="3"/><float value="0.95"/></lognormal-deviate></define-basic-event>
<define-basic-event name="d">
<mul><float value="0.1"/><add><float value="0.2"/><float value="0.3"/></add></mul></define-basic-event>
<define-house-event name="h"><constant value="false"/></define-house-event>
<define-CCF-group name="ccf" model="beta-factor">
<members><basic-event name="e"/><basic-event name="f"/></members><distribution><float value="0.01"/></distribution>
<factors><factor level="2"><float value="0.1"/></factor></factors></define-CCF-group>
</define-fault-tree>
<model-data><define-parameter name="l"><float value="1e-5"/></define-parameter></model-data></opsa-mef>
"""
GALILEO = """toplevel "top";
"top" or "g1" "g2";
"g1" and "a" "b";
"g2" 2of3 "a" "b" "c";
"a" lambda=0.001 dorm=0;
"b" prob=0.02;
"c" prob=0.5;
"""
ARALIA = "TOP\nr1 := (g1 | @(2, [a, b, c]));\ng1 := (a & -d);\np(a) = 0.01;\np(b) = 0.02;\np(c) = 0.03;\np(d) = 0.5;\n"


def tree_seeds(folder):
    tree = sf.FaultTree.read(written(folder, {"mef.xml": MEF})[0])
    tree.write(folder / "tree.json")
    tree.write(folder / "written.yaml")
    examples = [EXAMPLES / "safe_distance" / "tree.yaml", EXAMPLES / "monitor_classification" / "tree.yaml"]
    texts = {f"{path.parent.name}.yaml": path.read_bytes() for path in examples if path.is_file()}
    return [
        folder / "mef.xml",
        folder / "tree.json",
        folder / "written.yaml",
        *written(folder, {"g.dft": GALILEO, "a.aralia": ARALIA, **texts}),
    ]


def read_tree(path):
    tree = sf.FaultTree.read(path, mission_time=1000 if path.suffix == ".dft" else None)
    with suppress(sf.SurefootError):  # Events of a project have no number yet.
        tree.probability()
    with suppress(sf.SurefootError):
        tree.cut_sets(limit=50)


# Assurance cases, seals, keys.


def case_seeds(folder):
    _, result = assessed()
    found = [result.case.write(folder / f"case{ending}") for ending in (".yaml", ".json", ".gsn.yaml", ".xmi")]
    for name in ("traffic_sign_amlas", "traffic_sign_trust", "reliability_cells"):
        if (EXAMPLES / name / "case.yaml").is_file():
            found += written(folder, {f"{name}.yaml": (EXAMPLES / name / "case.yaml").read_bytes()})
    return found


def read_case(path):
    return sf.Case.read(path).check()


def seal_seeds(folder):
    _, result = assessed()
    private, _ = case.make_key(folder / "author.pem")
    signed = case.seal(result.snapshot, by="A. Author", date="2026-05-17", key=case.PrivateKey.read(private))
    plain = case.seal(result.snapshot, by="A. Assessor", date="2026-05-17")
    return [plain.write(folder / "plain.json"), signed.write(folder / "signed.json")]


def read_seal(path):
    _, result = assessed()
    return case.verify(case.Seal.read(path), result.snapshot)


def key_seeds(folder):
    return list(case.make_key(folder / "author.pem"))


def read_key(path):
    try:
        return case.PublicKey.read(path)
    except sf.SurefootError:
        return case.PrivateKey.read(path)


# Hazard analysis.


def worksheet_seeds(folder):
    source = EXAMPLES / "inspection_vehicle" / "hazop.yaml"
    sheet = sf.hazards.Hazop.read(source)
    for ending in (".csv", ".xlsx", ".yaml"):
        sheet.write(folder / f"hazop{ending}")
    return [folder / f"hazop{ending}" for ending in (".csv", ".xlsx", ".yaml")]


def read_worksheet(path):
    sheet = sf.hazards.Hazop.read(path)
    return sheet.check(), len(list(sheet.deviations()))


def scenario_seeds(folder):
    return written(
        folder,
        {
            f"{name}.yaml": (EXAMPLES / name / "scenarios.yaml").read_bytes()
            for name in ("inspection_vehicle", "screening_barriers")
        },
    )


def label_seeds(folder):
    text = "component,digest,row,label,same as\ngrader,ab12,7,owl,\ngrader,ab12,8,,7\ngrader,ab12,9,?,\n"
    return written(folder, {"labels.csv": text})


# Data.

ROWS = [[0.1, 2, "day", "car", "2026-01-01"], [0.9, 3, "night", "tree", "2026-01-02"], [0.4, "", "day", "car", ""]] * 4


def table_seeds(folder):
    text = io.StringIO()
    csv.writer(text).writerows([["x", "n", "light", "label", "day"], *ROWS])
    lines = "\n".join(json.dumps({"x": row[0], "light": row[2], "label": row[3]}) for row in ROWS)
    content = io.BytesIO()
    np.savez(content, inputs=np.arange(24.0).reshape(12, 2), labels=np.arange(12) % 2, groups=np.arange(12) // 3)
    found = written(folder, {"rows.csv": text.getvalue(), "rows.jsonl": lines, "rows.npz": content.getvalue()})
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        return found
    columns = {name: [row[at] for row in ROWS] for at, name in [(0, "x"), (2, "light"), (3, "label")]}
    parquet.write_table(pyarrow.table(columns), folder / "rows.parquet")
    return [*found, folder / "rows.parquet"]


def read_table(path):
    for form in ("array", "either"):
        try:
            adapters.load_data(path=path.name, folder=path.parent, form=form)
        except sf.SurefootError as error:
            last = error
        else:
            last = None
    if last is not None:
        raise last


COCO = {
    "images": [{"id": n, "file_name": f"{n}.png", "width": 60, "height": 40} for n in (1, 2, 3)],
    "categories": [{"id": 1, "name": "car"}, {"id": 2, "name": "tree"}],
    "annotations": [
        {"id": n, "image_id": 1 + n % 3, "category_id": 1 + n % 2, "bbox": [n, n, 9, 8], "area": 72, "iscrowd": 0}
        for n in range(6)
    ],
}
BOXES = "image,x1,y1,x2,y2,label\n1,0,0,9,9,car\n1,5,5,9,9,tree\n2,1,1,4,4,car\n"
MOT = "1,1,10,10,5,5,1,1,1\n1,2,20,10,5,5,1,1,1\n2,1,11,10,5,5,1,1,1\n"


def scene_seeds(folder):
    return written(folder, {"coco.json": json.dumps(COCO), "boxes.csv": BOXES, "mot.txt": MOT})


def read_scenes(path):
    classes = () if path.suffix == ".txt" else ("car", "tree")
    return adapters.scenes.load_scenes(path=path.name, classes=classes, folder=path.parent)


# Models and detectors. Foreign code reads the first of them.

NETWORK = "import torch\ndef build():\n    return torch.nn.Linear(2, 2)\n"


def model_seeds(folder):
    from sklearn.linear_model import LogisticRegression

    x = np.random.default_rng(0).normal(size=(20, 2))
    fitted = LogisticRegression().fit(x, x[:, 0] > 0)
    found = []
    try:
        import skops.io

        skops.io.dump(fitted, folder / "model.skops")
        found.append(folder / "model.skops")
    except ImportError:
        pass
    try:
        import torch
        from safetensors.torch import save_file

        save_file(torch.nn.Linear(2, 2).state_dict(), folder / "weights.safetensors")
        written(folder, {"network.py": NETWORK})
        found.append(folder / "weights.safetensors")
    except ImportError:
        pass
    return found


def read_model(path):
    if path.suffix == ".safetensors":
        return adapters.load_model(factory="network:build", weights=path.name, folder=path.parent)
    return adapters.load_model(path=path.name, folder=path.parent)


def exported_seeds(folder):
    found = []
    try:
        from skl2onnx import to_onnx
        from sklearn.linear_model import LogisticRegression

        x = np.random.default_rng(0).normal(size=(20, 2)).astype(np.float32)
        fitted = LogisticRegression().fit(x, x[:, 0] > 0)
        found += written(folder, {"model.onnx": to_onnx(fitted, x[:1]).SerializeToString()})
    except ImportError:
        pass
    return found


def detector_seeds(folder):
    x = np.random.default_rng(0).normal(size=(30, 3))
    monitors.Mahalanobis().fit(x, np.arange(30) % 2).save(folder / "mahalanobis.npz")
    knn = monitors.KNN(k=2).fit(x, np.arange(30) % 2)
    monitors.Monitor(knn, 1.5).save(folder / "monitor.npz")
    return [folder / "mahalanobis.npz", folder / "monitor.npz"]


def read_detector(path):
    return (monitors.Detector if "mahalanobis" in path.name else monitors.Monitor).load(path)


def encoder_seeds(folder):
    return [profile.PCAEncoder(2).fit(np.random.default_rng(0).normal(size=(30, 4))).save(folder / "pca.npz")]


# What was computed: stores, reports, locks, states of a watch.


def store_seeds(folder):
    assessed()
    shutil.copytree(scratch() / "start" / ".surefoot", folder / "store")
    return sorted(path for path in (folder / "store").rglob("*") if path.is_file())


def read_store(path):
    """The damaged file takes the place of the one it was made from, and goes again."""
    whole = path.with_name(path.name.split(".damaged")[0])
    before = whole.read_bytes()
    root = next(parent for parent in path.parents if parent.name == "store")
    try:
        path.replace(whole)
        store = project.Store.open(root)
        store.verify()
        return [store.get(entry.key) for entry in store.entries()]
    finally:
        whole.write_bytes(before)


def report_seeds(folder):
    _, result = assessed()
    return [sf.report.write(result, folder / f"report{ending}") for ending in (".json", ".html")]


def read_report(path):
    result = sf.read_report(path)
    sf.report.markdown(result)
    sf.report.junit(result)
    return result.met


def lock_seeds(folder):
    made, result = assessed()
    place = project.lock_path(made)
    project.write_lock(result, place)
    return written(folder, {place.name: place.read_bytes()})


def read_lock(path):
    return project.moved(project.read_lock(path), assessed()[1])


def stream_seeds(folder):
    text = (START / "test.csv").read_text(encoding="utf-8").splitlines()[:12]
    lines = [json.dumps(row) for row in csv.DictReader(text)]
    return written(folder, {"rows.csv": "\n".join(text), "rows.jsonl": "\n".join(lines)})


def read_stream(path):
    feed = watch.Feed(watched())
    with watch.open_stream(str(path), feed.watch.layout, batch=5, place=feed.place) as chunks:
        return [event for events in feed.run(chunks) for event in events]


def watched():
    return watch.Watch(*assessed())


def state_seeds(folder):
    feed = watch.Feed(watched())
    watch.write_state(feed.state(), folder / "watch.json")
    return [folder / "watch.json"]


def read_state(path):
    feed = watch.Feed(watched())
    feed.restore(watch.read_state(path))
    return feed.rows


READERS = {
    reader.name: reader
    for reader in (
        Reader("project", project_seeds, project.load),
        Reader("tree", tree_seeds, read_tree),
        Reader("case", case_seeds, read_case),
        Reader("seal", seal_seeds, read_seal),
        Reader("key", key_seeds, read_key),
        Reader("worksheet", worksheet_seeds, read_worksheet),
        Reader("scenarios", scenario_seeds, lambda path: hazards.Scenarios.read(path)),
        Reader("labels", label_seeds, labels.read_labels),
        Reader("table", table_seeds, read_table),
        Reader("scenes", scene_seeds, read_scenes),
        Reader("model", model_seeds, read_model),
        Reader("exported-model", exported_seeds, read_model, in_a_process_of_its_own=True),
        Reader("detector", detector_seeds, read_detector),
        Reader("encoder", encoder_seeds, profile.PCAEncoder.load),
        Reader("store", store_seeds, read_store),
        Reader("report", report_seeds, read_report),
        Reader("lock", lock_seeds, read_lock),
        Reader("stream", stream_seeds, read_stream),
        Reader("watch-state", state_seeds, read_state),
    )
}
