"""Labels, class names and columns of scores fit together or are refused."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from surefoot.adapters import as_data, as_model, scored
from surefoot.adapters import tested as put_together
from tests.adapters.problems import problem

WORDS = {"output": "score", "digests": {}, "caveats": ()}


def labelled(labels, classes=()):
    """Data with these labels."""
    return as_data((np.zeros((len(labels), 1)), np.asarray(labels)), classes=classes)


names = st.text(st.characters(categories=["L", "Nd", "P"]), min_size=1, max_size=8)


@given(st.lists(names, min_size=1))
@settings(deadline=None)
def test_text_labels_are_numbered_by_their_sorted_names(labels):
    found = labelled(labels)
    assert [found.classes[number] for number in found.labels] == labels
    assert len(set(found.classes)) == len(found.classes)


@given(st.lists(st.integers(-(2**40), 2**40), min_size=1))
@settings(deadline=None)
def test_whole_numbers_are_numbered_in_their_order(labels):
    found = labelled(labels)
    assert [int(found.classes[number]) for number in found.labels] == labels
    assert list(map(int, found.classes)) == sorted(set(labels))


def test_labels_are_names_or_else_positions():
    for labels, classes, expected in (
        ([0, 1, 1], ["benign", "malignant"], [0, 1, 1]),
        ([2, 4, 4], ["2", "4"], [0, 1, 1]),
        ([2, 4, 4], ["4", "2"], [1, 0, 0]),
        ([1, 2, 1], ["1", "2"], [0, 1, 0]),
        (["b", "a"], ["b", "a", "c"], [0, 1]),
        ([True, False], ["no", "yes"], [1, 0]),
        ([1.0, 0.0], ["no", "yes"], [1, 0]),
        ([b"no", b"yes"], ["no", "yes"], [0, 1]),
        ([[1], [0]], ["no", "yes"], [1, 0]),
    ):
        assert labelled(labels, classes).labels.tolist() == expected, labels


def test_labels_outside_the_classes_are_refused():
    for labels, classes, match in (
        (["malignnt", "benign"], ["benign", "malignant"], "'malignnt' of row 0.*Did you mean 'malignant'"),
        ([1, 2, 2], ["benign", "malignant"], r"'2' of row 1 \(2 such rows\)"),
        ([-1, 1], ["no", "yes"], "'-1'"),
        ([0, 1], ["2", "4"], "'0'.*2, 4"),
    ):
        with problem("data-classes", match):
            labelled(labels, classes)


def test_a_column_of_identifiers_is_not_taken_for_classes():
    with problem("data-classes", "70000 different labels"):
        labelled(np.arange(70_000) * 3)


def answered(data, model, columns):
    """Data with such classes, scored by a model with those: each of its columns is higher than the one before."""
    rows, row = np.zeros((max(len(data), 1), 1)), np.arange(1, columns + 1) / (columns * (columns + 1) / 2)

    class Model:
        def predict_proba(self, x):
            return np.tile(row, (len(x), 1))

    if model:
        Model.classes_ = np.asarray(model)
    given = as_data((rows, np.asarray(data)), classes=list(data)) if data else as_data({"inputs": rows})
    return scored(as_model(Model()), given, batch_size=8)


def test_columns_get_names_that_fit_data_and_model():
    for data, model, columns, classes, order in (
        ((), (), 3, "0 1 2", (0, 1, 2)),
        (("a", "b"), (), 2, "a b", (0, 1)),
        (("0", "2"), (), 3, "0 1 2", (0, 1, 2)),
        ((), ("a", "b"), 2, "a b", (0, 1)),
        (("b", "a"), ("a", "b"), 2, "b a", (1, 0)),
        (("a",), ("a", "b"), 2, "a b", (0, 1)),
        (("0", "1"), ("a", "b", "c"), 3, "a b c", (0, 1, 2)),
        (("no", "yes"), ("2", "4"), 2, "no yes", (0, 1)),
    ):
        found = answered(data, model, columns)
        assert (" ".join(found.classes), tuple(found.scores.argsort()[0])) == (classes, tuple(np.argsort(order))), data


def test_columns_that_could_be_mistaken_are_refused():
    for data, model, columns, code in (
        (("a", "b"), (), 3, "model-output"),
        (("a", "b", "c"), (), 2, "model-output"),
        ((), ("a", "b"), 3, "model-output"),
        (("a", "b"), ("c", "d"), 2, "data-classes"),
        (("a", "b"), ("b", "c"), 2, "data-classes"),
        (("0", "1"), ("1", "2"), 2, "data-classes"),
        (("0", "1"), ("2", "4"), 2, "data-classes"),
        (("a", "b", "c"), ("0", "1"), 2, "data-classes"),
    ):
        with problem(code):
            answered(data, model, columns)


@given(st.permutations("abcde"))
@settings(deadline=None)
def test_columns_follow_their_names_and_never_their_order(order):
    """The same truth, whatever order classes are listed in."""

    class Model:
        classes_ = np.asarray(list("abcde"))

        def predict_proba(self, x):
            return np.full((len(x), 5), 0.1) + 0.5 * np.eye(5)[x[:, 0]]

    truth = np.asarray(list("abcdeedcba"))
    data = as_data((np.asarray([["abcde".index(c)] for c in truth]), truth), classes=order)
    found = scored(as_model(Model()), data, batch_size=4)
    together = put_together("c", data, found.scores, output=found.output, classes=found.classes, digests={}, caveats=())
    assert together.classes == tuple(order)
    assert not together.failed.any()


def test_a_test_set_that_lacks_a_class_keeps_the_classes_of_the_model(classifier, inputs, labels):
    chosen = labels == "malignant"
    data = as_data((inputs[chosen], labels[chosen]))
    found = scored(as_model(classifier), data, batch_size=100)
    together = put_together("c", data, found.scores, output=found.output, classes=found.classes, digests={}, caveats=())
    assert together.classes == ("benign", "malignant")
    assert set(together.labels) == {1}
    assert np.array_equal(together.predictions, classifier.predict(inputs[chosen]) == "malignant")


def test_numbers_are_never_matched_with_sorted_text():
    for answers, labels, fits in (
        ([1, 0], ["a", "b"], False),
        (["b", "a"], ["a", "b"], True),
        ([1, 0], [0, 1], True),
        ([0.9, 0.2], ["a", "b"], False),
        ([0.9, 0.2], [0, 1], True),
    ):
        model, rows = as_model(lambda x, answers=answers: np.asarray(answers)), np.zeros((2, 1))
        if fits:
            assert scored(model, as_data((rows, labels)), batch_size=2).scores.shape == (2, 2), answers
        else:
            with problem("data-classes", "List classes in the order"):
                scored(model, as_data((rows, labels)), batch_size=2)
        assert scored(model, as_data((rows, labels), classes=list(map(str, sorted(set(labels))))), batch_size=2), (
            answers
        )


def test_a_class_whose_name_is_not_unicode_is_refused():
    with problem("data-classes", r"caf\\udce9"):
        as_data((np.zeros((2, 1)), [0, 1]), classes=["caf\udce9", "b"])


def test_labels_are_renumbered_by_name():
    for labels, classes, expected in ((["b", "c", "b"], "abc", [1, 2, 1]), ([0, 1, 0], ("no", "yes"), [0, 1, 0])):
        scores = np.zeros((3, len(classes)))
        assert put_together("c", labelled(labels), scores, classes=classes, **WORDS).labels.tolist() == expected, labels


def test_scores_and_labels_must_fit():
    data = as_data((np.zeros((3, 1)), [0, 1, 2]))
    with problem("model-output", r"\(2, 3\)"):
        put_together("c", data, np.zeros((2, 3)), classes="abc", **WORDS)
    with problem("data-classes", "from 0 to 2"):
        put_together("c", data, np.zeros((3, 2)), classes="ab", **WORDS)
    with problem("data-column", "no labels"):
        put_together("c", as_data({"inputs": np.zeros((3, 1))}), np.zeros((3, 2)), classes="ab", **WORDS)
