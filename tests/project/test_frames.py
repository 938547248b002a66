"""Five public tables, as they come, from frame to report: text, categories, dates, truth values and missing values."""

import html
import re
import warnings
from functools import cache

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import statsmodels.datasets
import yaml
from palmerpenguins import load_penguins
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.datasets import load_wine
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier
from vega_datasets import local_data

import surefoot as sf
from surefoot.core import DiagnosticsError

COUNT = {"counted": {"step": "binomial_bound"}}


def halves(frame):
    """Rows to fit on, and rows to test on."""
    first = np.random.default_rng(0).random(len(frame)) < 0.5
    return frame[first].reset_index(drop=True), frame[~first].reset_index(drop=True)


def public(name):
    """A table of vega_datasets, which reads with options that pandas is giving up."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return getattr(local_data, name)()


def failures(project):
    """The share of rows that failed."""
    return sf.run(project)["counted.failure probability"].value


def reported(project, folder):
    """The share of rows that failed, after a report that shows what the columns hold."""
    result = sf.run(project)
    page = sf.report.write(result, folder / "report.html").read_text()
    table = result.evidence["counted"].tables["columns of the inputs"]
    assert len(table.rows) > 1
    for row in table.rows:
        assert all(html.escape(str(cell)) in page for cell in row[:3])
    return result["counted.failure probability"].value


def in_memory(model, data, **more):
    return sf.Project.of("system", model=model, data=data, evidence=more.pop("evidence", COUNT), **more)


def in_files(folder, estimator, data, evidence=COUNT, **component):
    """A project whose model is a pickle and whose data are files."""
    joblib.dump(estimator, folder / "model.joblib")
    source = {"path": "model.joblib", "trust": "pickle", **component.pop("model", {})}
    part = {"model": source, "data": data, **component}
    return sf.project.from_data(
        {"version": 1, "system": {"name": "system"}, "components": {"component": part}, "evidence": evidence},
        folder=folder,
    )


def codes(error):
    return {diagnostic.code for diagnostic in error.value.diagnostics}


# Penguins: text and missing values through a pipeline of scikit-learn.


@cache
def penguins():
    fit, test = halves(load_penguins())
    parts = make_column_transformer(
        (make_pipeline(SimpleImputer(), StandardScaler()), make_column_selector(dtype_include="number")),
        (OneHotEncoder(handle_unknown="ignore"), ["island", "sex"]),
    )
    model = make_pipeline(parts, LogisticRegression()).fit(fit.drop(columns="species"), fit["species"])
    return model, fit, test


def wrong(model, test, labels):
    return float((model.predict(test.drop(columns=labels)) != test[labels]).mean())


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_penguins_in_memory_fail_as_often_as_the_pipeline_says(kind):
    model, _, test = penguins()
    expected = wrong(model, test, "species")
    assert 0 < expected < 0.1
    frame = {"pandas": test, "polars": pl.from_pandas(test), "pyarrow": pa.Table.from_pandas(test)}[kind]
    assert failures(in_memory(model, frame, labels="species")) == pytest.approx(expected)
    columns = [name for name in test if name != "species"]
    inputs = frame[columns] if kind == "pandas" else frame.select(columns)
    assert failures(in_memory(model, (inputs, test["species"]))) == pytest.approx(expected)


@pytest.mark.parametrize("kind", ["polars", "pyarrow"])
@pytest.mark.parametrize("library", ["scikit-learn", "xgboost", "lightgbm"])
def test_estimators_fitted_on_pandas_take_frames_of_other_libraries(library, kind):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"carat": rng.uniform(0, 3, 600), "cut": pd.Categorical(rng.choice(["Fair", "Ideal"], 600))})
    frame["high"] = (frame["carat"] + (frame["cut"] == "Ideal") > 2).astype(int)
    names, fit, test = ["carat", "cut"], frame[:300], frame[300:]
    model = {
        "scikit-learn": lambda: make_pipeline(
            make_column_transformer((OneHotEncoder(), ["cut"]), remainder="passthrough"), DecisionTreeClassifier()
        ),
        "xgboost": lambda: pytest.importorskip("xgboost").XGBClassifier(n_estimators=5, enable_categorical=True),
        "lightgbm": lambda: pytest.importorskip("lightgbm").LGBMClassifier(n_estimators=5, verbose=-1),
    }[library]()
    model.fit(fit[names], fit["high"])
    expected = float((model.predict(test[names]) != test["high"]).mean())
    other = pl.from_pandas(test) if kind == "polars" else pa.Table.from_pandas(test, preserve_index=False)
    assert failures(in_memory(model, other, labels="high")) == pytest.approx(expected)


def test_what_balls_say_of_text_is_what_cells_take():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"carat": rng.uniform(0, 3, 400), "cut": rng.choice(["Fair", "Ideal"], 400)})
    frame.loc[::50, "cut"] = None
    labels = np.where(frame["carat"] + (frame["cut"] == "Ideal") > 2, "high", "low")

    def model(rows):
        return np.where(rows["carat"] + (rows["cut"] == "Ideal") > 2.02, "high", "low")

    data = {"test": (frame[:300], labels[:300]), "fit": (frame[300:], labels[300:])}
    with pytest.raises(DiagnosticsError) as error:
        sf.run(in_memory(model, data, evidence={"balls": {"step": "reliability_balls", "radius": 0.1}}))
    (problem,) = error.value.diagnostics
    said = re.search(r"columns: (\{.*\});", problem.hint)[1]
    assert (problem.code, said) == ("data-type", "{carat: number, cut: {as: [Fair, Ideal], missing: Fair}}")
    cells = {"step": "reliability_cells", "labelled": "fit", "side": 0.5, "domain": [0, 3], "samples": 20}
    found = sf.run(in_memory(model, data, evidence={"cells": cells | {"columns": yaml.safe_load(said)}}))
    assert found.evidence["cells"].estimates


def test_penguins_in_files_fail_as_often_and_make_a_report(tmp_path):
    model, _, test = penguins()
    test.to_csv(tmp_path / "test.csv", index=False)
    test.to_parquet(tmp_path / "test.parquet")
    data = {"test": {"path": "test.csv", "labels": "species"}, "other": {"path": "test.parquet", "labels": "species"}}
    evidence = COUNT | {"parquet": {"step": "binomial_bound", "on": "other"}}
    project = in_files(tmp_path, model, data, evidence)
    assert sf.project.check(project) == []
    result = sf.run(project)
    expected = pytest.approx(wrong(model, test, "species"))
    assert result["parquet.failure probability"].value == expected
    assert reported(project, tmp_path) == expected


def test_a_pipeline_of_polars_frames_gets_them(tmp_path):
    model, _, test = penguins()
    test.to_csv(tmp_path / "test.csv", index=False)
    (tmp_path / "seen.py").write_text(
        "import joblib\nfrom pathlib import Path\nmodel = joblib.load(Path(__file__).with_name('model.joblib'))\n\n\n"
        "def predict(rows):\n    assert type(rows).__module__.startswith('polars'), type(rows)\n"
        "    return model.predict(rows.to_pandas())\n"
    )
    joblib.dump(model, tmp_path / "model.joblib")
    part = {
        "model": {"callable": "seen:predict", "takes": "polars", "files": ["model.joblib"]},
        "data": {"test": {"path": "test.csv", "labels": "species", "inputs": [*test.drop(columns="species")]}},
        "classes": ["Adelie", "Chinstrap", "Gentoo"],
    }
    said = {"version": 1, "system": {"name": "s"}, "components": {"component": part}, "evidence": COUNT}
    found = sf.run(sf.project.from_data(said, folder=tmp_path))
    assert found["counted.failure probability"].value == pytest.approx(wrong(model, test, "species"))


def test_frames_of_code_reach_a_model_in_its_own_process(tmp_path):
    model, _, test = penguins()
    test["island"] = test["island"].astype("category")
    test.to_pickle(tmp_path / "rows.pkl")
    (tmp_path / "rows.py").write_text(
        "import pandas as pd\nfrom pathlib import Path\n\n\n"
        "def rows():\n    return pd.read_pickle(Path(__file__).with_name('rows.pkl'))\n"
    )
    project = in_files(tmp_path, model, {"test": {"callable": "rows:rows", "labels": "species"}})
    result = sf.run(project)
    assert result["counted.failure probability"].value == pytest.approx(wrong(model, test, "species"))


# Cars: categories, dates and missing values through lightgbm, xgboost and catboost.


@cache
def cars():
    table = public("cars")
    table["Maker"] = table.pop("Name").str.split().str[0].astype("category")
    table["Year"] = table["Year"].dt.year
    return halves(table)


def boosted(library):
    fit, test = cars()
    inputs, labels = fit.drop(columns="Origin"), fit["Origin"]
    if library == "lightgbm":
        from lightgbm import LGBMClassifier

        return LGBMClassifier(n_estimators=20, min_child_samples=5, verbose=-1, n_jobs=1).fit(inputs, labels), test
    if library == "xgboost":
        from xgboost import XGBClassifier

        numbers = labels.astype("category").cat.codes
        model = XGBClassifier(n_estimators=20, enable_categorical=True, n_jobs=1).fit(inputs, numbers)
        return model, test.assign(Origin=test["Origin"].astype("category").cat.codes)
    from catboost import CatBoostClassifier

    model = CatBoostClassifier(iterations=20, verbose=0, allow_writing_files=False, thread_count=1)
    return model.fit(inputs, labels, cat_features=["Maker"]), test


def answered(model, test):
    return np.asarray(model.predict(test.drop(columns="Origin"))).reshape(-1)


@pytest.mark.parametrize("library", ["lightgbm", "xgboost", "catboost"])
def test_cars_with_categories_and_gaps_go_into_boosted_trees(library, tmp_path):
    model, test = boosted(library)
    expected = float((answered(model, test) != test["Origin"]).mean())
    assert 0 < expected < 0.5
    assert test["Horsepower"].isna().any()
    assert reported(in_memory(model, test, labels="Origin"), tmp_path) == pytest.approx(expected)
    test.to_parquet(tmp_path / "test.parquet")
    in_parquet = in_files(tmp_path, model, {"test": {"path": "test.parquet", "labels": "Origin"}})
    assert sf.run(in_parquet)["counted.failure probability"].value == pytest.approx(expected)
    test.to_csv(tmp_path / "test.csv", index=False)
    makers = list(test["Maker"].cat.categories)
    source = {"path": "test.csv", "labels": "Origin", "types": {"Maker": makers}}
    in_csv = in_files(tmp_path, model, {"test": source})
    assert sf.run(in_csv)["counted.failure probability"].value == pytest.approx(expected)


# Weather: dates through a function.


def rainy(rows):
    """Says rain where it rained, and drizzle or sun by the month."""
    summer = rows["date"].dt.month.between(5, 9)
    return np.where(rows["precipitation"] > 0, "rain", np.where(summer, "sun", "fog"))


def test_weather_keeps_its_dates_on_their_way_to_a_function(tmp_path):
    table = public("seattle_weather")
    expected = float((rainy(table) != table["weather"]).mean())
    kinds = sorted(table["weather"].unique())
    assert reported(in_memory(rainy, table, labels="weather", classes=kinds), tmp_path) == pytest.approx(expected)
    table.to_csv(tmp_path / "days.csv", index=False)
    (tmp_path / "sky.py").write_text(
        "import numpy as np\n\n\ndef rainy(rows):\n    summer = rows['date'].dt.month.between(5, 9)\n"
        "    return np.where(rows['precipitation'] > 0, 'rain', np.where(summer, 'sun', 'fog'))\n"
    )
    source = {"path": "days.csv", "labels": "weather", "types": {"date": "date"}}
    part = {"model": "sky:rainy", "data": {"test": source}, "classes": kinds}
    said = {"version": 1, "system": {"name": "s"}, "components": {"component": part}, "evidence": COUNT}
    project = sf.project.from_data(said, folder=tmp_path)
    assert sf.run(project)["counted.failure probability"].value == pytest.approx(expected)


# Barley: a number to be told from text.


def test_yields_of_barley_are_a_regression_on_text_columns(tmp_path):
    fit, test = halves(public("barley"))
    parts = make_column_transformer((OneHotEncoder(), ["variety", "site", "year"]))
    model = make_pipeline(parts, Ridge()).fit(fit.drop(columns="yield"), fit["yield"])
    errors = np.abs(model.predict(test.drop(columns="yield")) - test["yield"])
    project = in_memory(model, test, labels="yield", task="regression", tolerance=10)
    assert reported(project, tmp_path) == pytest.approx(float((errors > 10).mean()))
    as_classes = in_memory(model, test, labels="yield")
    with pytest.raises(DiagnosticsError, match="task: regression"):
        sf.run(as_classes)


# Elections and wine: numbers in frames, with and without missing values.


def test_votes_with_missing_answers_are_the_business_of_the_model(tmp_path):
    table = statsmodels.datasets.anes96.load_pandas().data
    table = table.mask(np.random.default_rng(1).random(table.shape) < 0.05).assign(vote=table["vote"])
    fit, test = halves(table)
    model = HistGradientBoostingClassifier(max_iter=20).fit(fit.drop(columns="vote"), fit["vote"])
    assert reported(in_memory(model, test, labels="vote"), tmp_path) == pytest.approx(wrong(model, test, "vote"))
    plain = HistGradientBoostingClassifier(max_iter=20).fit(fit.drop(columns="vote").to_numpy(), fit["vote"])
    rows = test.drop(columns="vote").to_numpy()
    expected = float((plain.predict(rows) != test["vote"]).mean())
    assert failures(in_memory(plain, (rows, test["vote"]))) == pytest.approx(expected)
    balls = {"balls": {"step": "reliability_balls", "radius": 0.1, "input_range": [-10, 1e6]}}
    with pytest.raises(DiagnosticsError, match="cannot take missing values"):
        sf.run(in_memory(model, test, labels="vote", evidence=balls))


def test_wine_keeps_its_names_so_that_nothing_warns():
    table = load_wine(as_frame=True).frame
    fit, test = halves(table)
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(fit.drop(columns="target"), fit["target"])
    assert failures(in_memory(model, test, labels="target", classes=[0, 1, 2])) == pytest.approx(
        wrong(model, test, "target")
    )
    shuffled = test[list(reversed(test.columns))]
    assert failures(in_memory(model, shuffled, labels="target")) == pytest.approx(wrong(model, test, "target"))


# What is refused or told, before a long run.


def test_a_frame_alone_asks_which_column_is_the_truth():
    model, _, test = penguins()
    with pytest.raises(DiagnosticsError, match=r"nothing says which of its columns is the truth.*labels=") as error:
        in_memory(model, test)
    assert codes(error) == {"missing-key"}
    with pytest.raises(DiagnosticsError, match="Did you mean 'species'"):
        in_memory(model, test, labels="specis")


def test_classes_may_be_numbers():
    model, test = (lambda rows: (rows[:, 0] > 0).astype(int)), np.array([[-1.0], [1.0]])
    project = in_memory(model, (test, [0, 1]), classes=[0, 1])
    assert project.definition.components["component"].classes == ["0", "1"]
    assert failures(project) == 0


def test_the_order_of_columns_and_their_types_are_part_of_what_data_are():
    model, _, test = penguins()
    frames = [test, test[list(reversed(test.columns))], test.assign(year=test["year"].astype(float))]
    results = [sf.run(in_memory(model, frame, labels="species")) for frame in frames]
    assert len({result["counted.failure probability"].provenance.data["data"] for result in results}) == 3
    assert len({result["counted.failure probability"].value for result in results}) == 1


def test_keys_of_projects_that_say_nothing_new_are_as_they_were():
    source = sf.project.definition.DataSource.model_validate({"path": "rows.csv"})
    assert "types" not in source.identity
    assert source.identity["labels"] is None
    assert (
        sf.project.definition.DataSource.model_validate({"path": "rows.csv", "labels": None}).identity["labels"] == []
    )


@pytest.fixture
def sampled(tmp_path):
    """The problems that check finds in a project with penguins."""
    model, fit, test = penguins()
    fit.to_csv(tmp_path / "fit.csv", index=False)

    def problems(evidence=COUNT, rows=test, source=None, **more):
        rows.to_csv(tmp_path / "test.csv", index=False)
        data = {
            "test": {"path": "test.csv", "labels": "species", **(source or {})},
            "fit": {"path": "fit.csv", "labels": "species"},
        }
        return sf.project.check(in_files(tmp_path, model, data, evidence, **more))

    return problems


def test_check_finds_in_a_sample_what_steps_cannot_take(sampled):
    watch = {"step": "monitor", "detector": "knn", "fit": "fit", "hazard": 0.1}
    found = sampled({"watch": watch})
    assert {(each.code, each.severity) for each in found} == {("data-type", "error"), ("data-missing-values", "error")}
    assert any("column 'island' holds none" in each.text for each in found)
    assert sampled({"watch": watch | {"columns": {"year": "number", "island": "one-hot"}}}) == []
    cells = {"step": "reliability_cells", "labelled": "fit", "side": 1.0, "domain": [0, 1]}
    assert {each.code for each in sampled({"cells": cells})} == {"data-type", "data-missing-values"}
    ways = {"year": "number", "island": ["Biscoe", "Dream", "Torgersen"], "sex": {"as": "one-hot", "missing": "none"}}
    assert sampled({"cells": cells | {"columns": ways}}) == []


def test_check_finds_in_a_sample_what_models_and_readers_cannot_take(sampled):
    _, _, test = penguins()
    assert {each.code for each in sampled(model={"takes": "array"})} == {"data-type"}
    odd = test.assign(year=test["year"].astype(str).where(test.index != 4, "?"))
    (found,) = sampled(rows=odd)
    assert (found.code, found.severity) == ("data-mixed", "warning")
    assert "row 4 has '?' (1 such rows)" in found.text
    (found,) = sampled(source={"types": {"island": ["Dream", "Biscoe"]}})
    assert (found.code, "'Torgersen' in row 0" in found.text) == ("data-categories", True)
    (found,) = sampled(source={"types": {"iland": "text"}})
    assert found.code == "data-column"
    twice = pd.concat([test, test[["year"]]], axis=1)
    assert "data-column" in {each.code for each in sampled(rows=twice)}
    (found,) = sampled(source={"labels": "bill_length_mm"}, rows=test)
    assert (found.code, "task: regression" in found.hint) == ("data-type", True)


def test_check_says_that_a_column_called_y_would_be_the_label(tmp_path):
    pd.DataFrame({"x": [0.1, 0.2], "y": [0, 1]}).to_csv(tmp_path / "test.csv", index=False)
    model = LogisticRegression().fit([[0.0], [1.0]], [0, 1])
    (found,) = sf.project.check(in_files(tmp_path, model, {"test": "test.csv"}))
    assert (found.code, found.severity) == ("labels-taken", "warning")
    assert sf.project.check(in_files(tmp_path, model, {"test": {"path": "test.csv", "labels": "y"}})) == []
    result = sf.run(in_files(tmp_path, model, {"test": "test.csv"}))
    assert "labels-taken" in {caveat.code for caveat in result["counted.failure probability"].caveats}


# Steps that compute with inputs.


def test_a_detector_takes_the_columns_that_are_named():
    model, fit, test = penguins()
    complete = [frame.dropna().reset_index(drop=True) for frame in (fit, test)]
    watch = {"step": "monitor", "detector": "knn", "fit": "fit", "hazard": 0.1}
    data = {"test": complete[1], "fit": complete[0]}

    def watched(columns):
        return sf.run(in_memory(model, data, labels="species", evidence={"watch": watch | columns}))

    with pytest.raises(DiagnosticsError, match="'island' holds text, such as 'Torgersen', and numbers are needed"):
        watched({})
    by_hand = [
        np.column_stack([frame["year"], *(frame["sex"] == sex for sex in ("female", "male"))]).astype(float)
        for frame in complete
    ]
    found = watched({"columns": {"year": "number", "sex": "one-hot"}})["watch.safety gain"]
    numbers = {
        title: {"inputs": rows, "labels": frame["species"].to_numpy(), "scores": model.predict_proba(frame)}
        for title, rows, frame in zip(("test", "fit"), reversed(by_hand), reversed(complete), strict=True)
    }
    expected = sf.run(sf.Project.of("system", data=numbers, classes=model.classes_.tolist(), evidence={"watch": watch}))
    assert found.value == expected["watch.safety gain"].value
    ordered = watched({"columns": {"year": "number", "sex": ["male", "female"]}})
    assert ordered["watch.safety gain"].value is not None
    with pytest.raises(DiagnosticsError, match="none of its categories"):
        watched({"columns": {"sex": ["male", "unknown"]}})


@cache
def stones():
    """Stones by weight, cut and certificate, and a pipeline over them that is wrong at the border."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"carat": rng.uniform(0, 3, 1500), "cut": rng.choice(["Fair", "Good", "Ideal"], 1500)})
    table["certified"] = rng.random(1500) < 0.5
    dear = table["carat"] + (table["cut"] == "Ideal") + 0.5 * table["certified"] > 2
    table["band"] = np.where(dear, "high", "low")
    encoded = make_column_transformer((OneHotEncoder(), ["cut"]), remainder="passthrough")
    model = make_pipeline(encoded, DecisionTreeClassifier(max_leaf_nodes=7, random_state=0))
    return model.fit(table[:500].drop(columns="band"), table["band"][:500]), table[500:1000], table[1000:]


CUTS = ["Fair", "Good", "Ideal"]
CELLS = {
    "step": "reliability_cells",
    "labelled": "fit",
    "side": 0.1,
    "domain": [0, 3],
    "bandwidth": 0.2,
    "samples": 20,
    "columns": {"carat": "number", "cut": CUTS, "certified": "truth"},
}


def in_cells(data, model=None, **more):
    found = in_memory(model or stones()[0], data, labels="band", evidence={"cells": CELLS | more})
    return sf.run(found).evidence["cells"]


def test_cells_of_categories_are_those_of_their_places():
    model, fit, test = stones()
    found = in_cells({"test": test, "fit": fit})

    def by_places(rows):
        places = np.clip(np.rint(rows[:, 1]), 0, 2).astype(int)
        columns = {"carat": rows[:, 0], "cut": np.array(CUTS)[places], "certified": np.rint(rows[:, 2]) == 1}
        return model.predict_proba(pd.DataFrame(columns))

    def placed(rows):
        cut = rows["cut"].map(CUTS.index)
        return np.column_stack([rows["carat"], cut, rows["certified"]]).astype(float), rows["band"].to_numpy()

    by_hand = {key: value for key, value in CELLS.items() if key != "columns"} | {
        "side": [0.1, 1.0, 1.0],
        "domain": [[0, 3], [-0.5, 2.5], [-0.5, 1.5]],
        "bandwidth": [0.2, 0.1, 0.1],
    }
    data = {"test": placed(test), "fit": placed(fit)}
    same = sf.run(sf.Project.of("s", model=by_places, data=data, classes=["high", "low"], evidence={"cells": by_hand}))
    for one, other in zip(found.estimates, same.evidence["cells"].estimates, strict=True):
        assert one.value == other.value
        assert one.upper(0.95) == other.upper(0.95)
    wrong_rows = float((model.predict(test.drop(columns="band")) != test["band"]).mean())
    assert found.estimates[0].value == pytest.approx(wrong_rows, abs=0.01)
    worst = found.tables["cells that add most"]
    assert worst.columns[1:4] == ("carat", "cut", "certified")
    assert all(row[2] in CUTS and row[3] in ("True", "False") for row in worst.rows)


@pytest.mark.parametrize("kind", ["polars", "reordered"])
def test_cells_do_not_depend_on_the_library_and_the_order_of_columns(kind):
    _, fit, test = stones()
    expected = in_cells({"test": test, "fit": fit}).estimates[0].value
    frames = {"test": test, "fit": fit}
    changed = {
        title: pl.from_pandas(rows) if kind == "polars" else rows[["band", "certified", "cut", "carat"]]
        for title, rows in frames.items()
    }
    assert in_cells(changed).estimates[0].value == expected


def test_cells_vary_dates_and_state_what_stands_for_no_value():
    _, fit, test = stones()
    days = pd.Timestamp("2026-01-01", tz="Europe/Berlin") + pd.to_timedelta(np.arange(500) % 50, "D")
    data = {"test": test.assign(day=days), "fit": fit.assign(day=days)}
    seen = set()

    def model(rows):
        seen.add(str(rows["day"].dtype))
        return np.where(rows["carat"] + (rows["day"].dt.month == 1) > 2, "high", "low")

    span = [[0, 3], [20450, 20510]]
    ways = CELLS["columns"] | {"day": "date"}
    more = {"side": [0.5, 30.0], "domain": span, "bandwidth": "cross-validation", "columns": ways}
    found = in_cells(data, model, **more)
    assert found.estimates[0].value > 0
    assert len(seen) == 1
    assert "Europe/Berlin" in seen.pop()
    gaps = {"test": test.assign(carat=test["carat"].where(np.arange(500) != 7)), "fit": fit}
    with pytest.raises(DiagnosticsError, match="column 'carat' has no value in row 7"):
        in_cells(gaps)
    filled = in_cells(gaps, columns=CELLS["columns"] | {"carat": {"as": "number", "missing": 0.05}})
    assert filled.estimates[0].value is not None


@pytest.mark.parametrize(
    ("more", "match"),
    [
        ({"columns": CELLS["columns"] | {"cut": "one-hot"}}, r"List its categories, .*cut: \[Fair, Good, Ideal\]"),
        ({"columns": {"carat": "number", "cut": CUTS}}, "every column that the model takes; found none of certified"),
        ({"columns": CELLS["columns"] | {"cut": ["Fair", "Good"]}}, "none of its categories; found 'Ideal' in row"),
        ({"columns": CELLS["columns"] | {"carat": "truth"}}, "no truth value; found .* in row 0"),
        ({"columns": CELLS["columns"] | {"carat": "date"}}, "'carat' holds .*, and dates are needed"),
        ({"columns": {"karat": "number"}}, "Did you mean 'carat'"),
        ({"side": [0.1, 1.0, 1.0]}, "3 for 1 columns of numbers"),
    ],
)
def test_columns_of_which_no_cells_can_be_made_are_told(more, match):
    _, fit, test = stones()
    with pytest.raises(DiagnosticsError, match=match):
        in_cells({"test": test, "fit": fit}, **more)


def test_cells_and_balls_take_frames_of_numbers():
    table = load_wine(as_frame=True).frame[["alcohol", "hue", "target"]]
    fit, test = halves(table)
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(fit.drop(columns="target"), fit["target"])
    evidence = {
        "cells": {
            "step": "reliability_cells",
            "labelled": "fit",
            "side": 1.0,
            "domain": [[10.0, 16.0], [0.0, 2.0]],
            "samples": 200,
        },
        "balls": {"step": "reliability_balls", "radius": 0.01, "input_range": [0, 20], "budget": 2000},
    }

    def assessed(**given):
        return sf.run(sf.Project.of("wine", evidence=evidence, **given))

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        framed = assessed(model=model, data={"test": test, "fit": fit}, labels="target")
    plain = make_pipeline(StandardScaler(), LogisticRegression())
    plain.fit(fit.drop(columns="target").to_numpy(), fit["target"])
    arrays = {title: (f.drop(columns="target").to_numpy(), f["target"]) for title, f in (("test", test), ("fit", fit))}
    expected = assessed(model=plain, data=arrays)
    for step in evidence:
        found, same = framed.evidence[step].estimates[0], expected.evidence[step].estimates[0]
        assert found.value == pytest.approx(same.value)
        assert found.upper(0.95) == pytest.approx(same.upper(0.95))


def test_operation_is_watched_in_frames():
    model, fit, test = penguins()
    targets = {"rare": {"estimate": "counted.failure probability", "at_most": 0.2}}
    project = in_memory(model, test, labels="species", targets=targets)
    watch = sf.watch.Watch(project, sf.run(project))
    watch.update(fit.drop(columns="species"), fit["species"])
    assert watch.labelled == len(fit)
    (claim,) = watch.claims
    assert claim.failures == round(wrong(model, fit, "species") * len(fit))
