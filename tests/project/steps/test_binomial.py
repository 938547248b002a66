import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import confusion_matrix
from statsmodels.stats.proportion import proportion_confint
from tests.project.steps.samples import answered, checked, scored, screening
from tests.refusals import told

import surefoot as sf
from surefoot.project import find_step

binomial_bound = find_step("binomial_bound")
loss_bound = find_step("loss_bound")
normal_bound = find_step("normal_bound")


def test_the_default_bound_is_exact():
    for failures in [0, 1, 7, 50]:
        with told(failures):
            labels = np.ones(50, dtype=int)
            found = binomial_bound(answered(labels, np.arange(50) >= failures), level=0.9)["failure probability"]
            lower, upper = proportion_confint(failures, 50, alpha=0.2, method="beta")
            assert found.value == failures / 50
            assert found.upper(0.9) == pytest.approx(upper)
            assert found.lower(0.9) == pytest.approx(lower)


def test_the_other_methods_match_their_distributions():
    tested = answered(np.ones(80, dtype=int), np.arange(80) >= 3)
    posterior = binomial_bound(tested, method="jeffreys")["failure probability"]
    assert posterior.upper(0.95) == pytest.approx(stats.beta(3.5, 77.5).ppf(0.95))
    score = binomial_bound(tested, method="wilson")["failure probability"]
    assert score.upper(0.95) == pytest.approx(proportion_confint(3, 80, alpha=0.1, method="wilson")[1])


def test_one_class_is_counted_alone_and_named_in_the_scope():
    tested = screening()
    found = binomial_bound(tested, of="malignant")["failure probability"]
    rows = tested.labels == 1
    assert found.details["trials"] == rows.sum()
    assert found.details["failures"] == (tested.scores[rows, 1] <= 0.5).sum()
    assert found.scope == "screening on malignant"


def test_a_tie_is_a_failure_and_stands_apart_in_the_table():
    tested = scored([0, 0, 1], [[0.5, 0.5], [0.9, 0.1], [0.2, 0.8]], ("a", "b"))
    evidence = binomial_bound(tested)
    assert evidence["failure probability"].details["failures"] == 1
    assert evidence.tables["answers"].columns == ("true class", "a", "b", "tie")
    assert evidence.tables["answers"].rows == (("a", 1, 0, 1), ("b", 0, 1, 0))


def test_only_undesired_answers_fail():
    classes = ("child", "deer", "boar")
    labels, answers = [0, 0, 0, 1, 1, 2], [1, 2, 0, 2, 0, 1]
    tested = answered(labels, answers, classes)
    found = binomial_bound(tested, undesired={"child": ["deer"], "deer": ["child"]})["failure probability"]
    # A class that is left out, the boar, has all its wrong answers count.
    undesired = {(0, 1), (1, 0), (2, 0), (2, 1)}
    assert found.details["failures"] == sum(pair in undesired for pair in zip(labels, answers, strict=True))
    assert binomial_bound(tested)["failure probability"].details["failures"] == 5


def test_the_scope_says_which_answers_fail():
    for undesired, of, scope in [
        ({"child": ["deer"]}, None, "screening, child answered as deer"),
        ({"child": ["deer"]}, "child", "screening on child, answered as deer"),
        ({"child": ["deer"]}, "boar", "screening on boar"),
        ({"child": ["boar", "deer"]}, "child", "screening on child, answered as deer or boar"),
        ({"deer": ["boar"], "child": ["deer"]}, None, "screening, child answered as deer, deer answered as boar"),
        (
            {"child": ["deer", "boar"], "deer": ["boar", "child"], "boar": ["deer"]},
            None,
            "screening, with undesired answers of 3 classes",
        ),
    ]:
        with told(undesired):
            tested = scored([0, 0, 1, 1, 2, 2], np.random.default_rng(0).random((6, 3)), ("child", "deer", "boar"))
            for step in (binomial_bound, loss_bound):
                assert step(tested, undesired=undesired, of=of)["failure probability"].scope == scope
            many = scored(
                np.zeros(30, dtype=int), np.random.default_rng(0).normal(size=(30, 3)), ("child", "deer", "boar")
            )
            if of == "child":
                assert normal_bound(many, undesired=undesired, of=of)["failure probability"].scope == scope


def test_each_class_names_its_own_undesired_answers():
    tested = answered([0, 1, 2], [0, 1, 2], ("child", "deer", "boar"))
    found = binomial_bound(tested, undesired={"child": ["deer"]}, by="class")
    assert [e.scope for e in found.estimates] == [
        "screening, child answered as deer",
        "screening on child, answered as deer",
        "screening on deer",
        "screening on boar",
    ]


def test_bounds_say_that_each_is_one_sided():
    columns = binomial_bound(screening(), level=0.995).tables["failures"].columns
    assert columns[-2:] == ("lower bound (one-sided, each at 99.5%)", "upper bound (one-sided, each at 99.5%)")


def test_answers_are_a_confusion_matrix():
    tested = screening()
    rows = [row[1:] for row in binomial_bound(tested).tables["answers"].rows]
    assert np.array_equal(rows, confusion_matrix(tested.labels, tested.scores.argmax(axis=1)))


def test_of_many_classes_the_worst_confusions_are_shown():
    rng = np.random.default_rng(0)
    labels, answers = rng.integers(0, 40, 5000), rng.integers(0, 40, 5000)
    answers[labels == 3] = 7
    tables = binomial_bound(answered(labels, answers, tuple(f"c{i}" for i in range(40)))).tables
    assert tables["answers"].rows[0] == ("c3", "c7", int((labels == 3).sum()))
    assert len(tables["answers"].rows) == 30
    assert len(tables["failures"].rows) == 31
    assert "c3" in {row[0] for row in tables["failures"].rows}


def test_by_class_and_by_attribute_give_an_estimate_for_each_part():
    density = np.where(np.random.default_rng(1).random(400) < 0.3, "high", "low")
    tested = screening(attributes={"density": density})
    by_class = binomial_bound(tested, by="class")
    assert by_class["failure probability[screening on malignant]"].details == (
        binomial_bound(tested, of="malignant")["failure probability"].details
    )
    found = binomial_bound(tested, by="density")
    assert [e.scope for e in found.estimates] == [
        "screening", "screening on density = high", "screening on density = low",
    ]  # fmt: skip
    high = found["failure probability[screening on density = high]"]
    assert (high.details["failures"], high.details["trials"]) == (
        int(tested.failed[density == "high"].sum()), int((density == "high").sum()),
    )  # fmt: skip
    with pytest.raises(sf.InvalidInput, match="Did you mean 'density'"):
        binomial_bound(tested, by="densty")
    with pytest.raises(sf.InvalidInput, match="one class"):
        binomial_bound(tested, of="benign", by="class")


def test_more_parts_than_can_be_looked_at_are_refused():
    with pytest.raises(sf.InvalidInput, match="'id' has more than 100 values"):
        binomial_bound(screening(attributes={"id": np.arange(400)}), by="id")
    many = answered(np.arange(200), np.arange(200), tuple(f"c{i}" for i in range(200)))
    with pytest.raises(sf.InvalidInput, match=r"'class' has more than 100 values.*one by one with of:"):
        binomial_bound(many, by="class")
    some = binomial_bound(screening(attributes={"id": np.arange(400) // 4}), by="id")
    assert len(some.estimates) == 101
    assert len(some.artefacts["failure probability"].content) < 40_000


@pytest.mark.parametrize("column", [[None, "a"] * 200, [1.0, np.nan] * 200], ids=["mixed", "NaN"])
def test_an_attribute_with_gaps_is_refused(column):
    tested = screening(attributes={"site": np.array(column, dtype=object if None in column else float)})
    with pytest.raises(sf.InvalidInput, match="attribute 'site'"):
        binomial_bound(tested, by="site")


GROUPS = np.repeat(np.arange(40), 10)


def test_groups_of_several_rows_contradict_independence():
    found = binomial_bound(screening(groups=GROUPS))["failure probability"]
    assert checked(found)["independent-trials"] == "contradicted"
    assert found.caveats[0].code == "assumption-contradicted"
    assert "groups: use" in found.caveats[0].hint
    assert not found.meets(sf.Target(at_most=0.9))
    check = found.assumptions[0].check
    assert (check.figures["rows"], check.figures["groups"]) == (400, 40)


def test_groups_of_one_row_do_not():
    found = binomial_bound(screening(groups=np.arange(400)))["failure probability"]
    assert checked(found)["independent-trials"] == "supported"


def test_groups_can_be_used():
    tested = screening(groups=GROUPS)
    found = binomial_bound(tested, groups="use", max_group_size=10, seed=3)["failure probability"]
    expected = sf.bounds.grouped(tested.failed, GROUPS, level=0.95, max_group_size=10, seed=3)
    assert found.upper(0.95) == expected.upper(0.95)
    assert found.bounds[0].kind == "confidence"
    assert checked(found)["independent-groups"] == "unchecked"
    heuristic = binomial_bound(tested, groups="use")["failure probability"]
    assert heuristic.bounds[0].kind == "heuristic"


def test_a_group_can_be_a_trial():
    tested = screening(groups=GROUPS)
    found = binomial_bound(tested, groups="trial")["failure probability"]
    worst = int(tested.failed.reshape(40, 10).any(axis=1).sum())
    assert (found.details["failures"], found.details["trials"], found.unit) == (worst, 40, "per group")
    assert found.upper(0.95) == pytest.approx(stats.beta(worst + 1, 40 - worst).ppf(0.95))
    assert binomial_bound(tested, groups="trial").tables["failures"].rows[0][1:4] == (worst, 40, worst / 40)
    sentences = sf.bounds.needed(found, sf.Target(at_most=worst / 40 + 0.01, per="group"))
    assert any("new groups show it with probability 80%" in sentence for sentence in sentences)


@pytest.mark.parametrize("use", ["use", "trial"])
def test_groups_must_be_known_and_have_their_own_method(use):
    with pytest.raises(sf.InvalidInput, match="groups: patient"):
        binomial_bound(screening(), groups=use)
    with pytest.raises(sf.InvalidInput, match="own method"):
        binomial_bound(screening(groups=GROUPS), groups=use, method="wilson")


def test_copies_among_the_inputs_contradict_independence():
    inputs = np.repeat(np.random.default_rng(0).normal(size=(200, 3)), 2, axis=0)
    assert checked(binomial_bound(screening(inputs=inputs)).estimates[0])["independent-trials"] == "contradicted"
    assert checked(binomial_bound(screening(inputs=None)).estimates[0])["independent-trials"] == "unchecked"


def test_rows_sorted_by_class_show_no_drift_and_rows_sorted_by_outcome_do():
    rng = np.random.default_rng(0)
    labels = np.repeat([0, 1], 500)
    failed = rng.random(1000) < np.where(labels == 1, 0.3, 0.02)
    by_class = binomial_bound(answered(labels, labels ^ failed))["failure probability"]
    assert checked(by_class)["identical-distribution"] == "supported"
    order = np.argsort(failed, kind="stable")
    by_outcome = binomial_bound(answered(labels[order], (labels ^ failed)[order]))["failure probability"]
    assert checked(by_outcome)["identical-distribution"] == "contradicted"


@pytest.mark.parametrize("wrong", [False, True])
def test_one_row_is_enough_to_count(wrong):
    found = binomial_bound(answered([1], [0 if wrong else 1]))["failure probability"]
    assert found.upper(0.95) == pytest.approx(1.0 if wrong else 0.95)
    assert checked(found)["identical-distribution"] == "unchecked"


def test_unknown_and_missing_classes_are_told():
    with pytest.raises(sf.InvalidInput, match="Did you mean 'malignant'"):
        binomial_bound(screening(), of="malignat")
    with pytest.raises(sf.InvalidInput, match="no rows of class 'benign'; found 3 rows of the classes malignant"):
        binomial_bound(answered([1, 1, 1], [1, 1, 0]), of="benign")
    with pytest.raises(sf.InvalidInput, match="Did you mean 'benign'"):
        binomial_bound(screening(), undesired={"malignant": ["bening"]})
    with pytest.raises(sf.InvalidInput, match="undesired for itself"):
        binomial_bound(screening(), undesired={"malignant": ["malignant"]})


@pytest.mark.parametrize(("name", "value"), [("method", "exact"), ("groups", "ignore")])
def test_words_that_mean_nothing_are_refused(name, value):
    with pytest.raises(sf.InvalidInput, match=value):
        binomial_bound(screening(), **{name: value})


def test_the_estimate_survives_storage():
    evidence = binomial_bound(screening(groups=GROUPS), by="class")
    assert sf.Evidence.from_dict(evidence.to_dict()).digest == evidence.digest
