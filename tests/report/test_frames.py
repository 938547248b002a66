"""Results out of Surefoot: frames of targets and estimates, from a run or from its report, and figures."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.axes import Axes

import surefoot as sf

pd = pytest.importorskip("pandas", reason="the frames extra is not installed")


@pytest.fixture(scope="module")
def result():
    rng = np.random.default_rng(0)
    labels = np.arange(2000) % 2
    answers = np.where(rng.random(2000) < 0.04, 1 - labels, labels)
    one = {"step": "binomial_bound"}
    return sf.run(
        sf.Project.of(
            "sorter",
            data={"scores": answers, "labels": labels, "output": "label"},
            evidence={"errors": one, "letters": {**one, "of": "0"}},
            targets={
                "shown": {"estimate": "errors.failure probability", "at_most": 0.06, "source": "contract"},
                "open": {"estimate": "letters.failure probability", "at_most": 0.045},
                "broken": {"estimate": "errors.failure probability", "at_most": 0.01},
            },
        )
    )


def test_a_row_for_each_target_says_what_decides_it(result):
    frame = result.frame().set_index("target")
    assert frame["verdict"].to_dict() == {"shown": "met", "open": "not shown", "broken": "violated"}
    for answer in result.answers:
        row, counting = frame.loc[answer.name], answer.corrected or answer.verdict
        assert (row["value"], row["limit"], row["look"]) == (answer.estimate.value, answer.target.limit, answer.looks)
        assert row["level"] == counting.target.level
        assert row["bound"] == pytest.approx(answer.estimate.bound(row["side"], row["level"]).limit)
    assert frame.loc["shown", "bound"] <= 0.06
    assert frame.loc["shown", "source"] == "contract"
    assert frame["relation"].unique().tolist() == ["at_most"]


def test_a_row_for_each_estimate_of_every_step(result):
    frame = result.frame("estimates")
    assert frame[["step", "trials"]].to_numpy().tolist() == [["errors", 2000], ["letters", 1000]]
    assert frame["upper"].tolist() == [result[f"{name}.failure probability"].upper(0.95) for name in frame["step"]]
    strict = result.frame("estimates", level=0.999)
    assert (strict["upper"] > frame["upper"]).all()


def test_polars_gives_the_same(result):
    pl = pytest.importorskip("polars", reason="the frames extra is not installed")
    for of in ("targets", "estimates"):
        frame = result.frame(of, backend="polars")
        assert isinstance(frame, pl.DataFrame)
        assert frame.columns == list(result.frame(of).columns)
        assert frame["value"].to_list() == result.frame(of)["value"].tolist()


@pytest.mark.parametrize("ending", ["html", "json"])
def test_a_report_gives_the_frames_of_its_result(result, tmp_path, ending):
    page = sf.report.write(result, tmp_path / f"report.{ending}")
    found = sf.read_report(page)
    assert isinstance(found, sf.Result)
    for of in ("targets", "estimates"):
        pd.testing.assert_frame_equal(found.frame(of), result.frame(of))
    assert found.met == result.met
    with pytest.raises(sf.DiagnosticsError):
        sf.read_report(tmp_path / "missing.html")


def test_the_figure_of_a_result_has_a_row_for_each_target(result):
    axes = result.plot()
    assert [label.get_text() for label in axes.get_yticklabels()] == [
        "shown: met",
        "open: not shown",
        "broken: violated",
    ]
    dots = sorted(line.get_xdata()[0] for line in axes.lines if line.get_marker() == "o")
    assert dots == pytest.approx(sorted(answer.estimate.value / answer.target.limit for answer in result.answers))
    own = plt.subplots()[1]
    assert result.plot(ax=own) is own
    plt.close("all")


def test_results_with_figures_have_plot():
    formula, counts = sf.faulttree.Formula("or", ("a", "b")), sf.faulttree.Counts
    tree = sf.FaultTree("fails", {"fails": formula}, {"a": counts(1, 200), "b": counts(2, 500)})
    found = tree.analyse(level=0.9, draws=500)
    curve = sf.opinions.coverage_sensitivity(sf.opinions.recall(47, 1), [0.01, 0.1])
    for each in (found, found.importance, found.tornado, curve):
        assert isinstance(each.plot(), Axes)
    plt.close("all")
