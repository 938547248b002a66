"""Rows from memory, from module:name, and from MAITE-shaped datasets."""

import numpy as np
import pytest
from maite.protocols import generic

from surefoot.adapters import Data, as_data, as_model, data_digest, load_data, scored
from tests.adapters.problems import problem

X = np.arange(12.0).reshape(6, 2)
Y = np.asarray([0, 1, 1, 0, 2, 1])


class Images:
    """A dataset as MAITE describes it."""

    metadata = {"id": "images", "index2label": {0: "cat", 1: "dog", 2: "cow"}}  # noqa: RUF012

    def __len__(self):
        return len(Y)

    def __getitem__(self, number):
        image = np.full((3, 4, 5), number / 10)
        return image, np.eye(3)[Y[number]], {"id": number, "hour": number * 1.5}


class Classifier:
    """A model as MAITE describes it; it knows the images by their brightness."""

    metadata = {"id": "classifier", "index2label": {0: "cat", 1: "dog", 2: "cow"}}  # noqa: RUF012

    def __call__(self, batch):
        assert isinstance(batch, list)
        return [np.eye(3)[Y[round(float(image[0, 0, 0]) * 10)]] for image in batch]


def test_the_shapes_are_those_of_maite():
    assert isinstance(Images(), generic.Dataset)
    assert isinstance(Classifier(), generic.Model)


def test_a_maite_dataset_and_model_are_taken_as_they_are():
    data = as_data(Images())
    assert data.inputs.shape == (6, 3, 4, 5)
    assert [data.classes[number] for number in data.labels] == ["cat", "dog", "dog", "cat", "cow", "dog"]
    assert data.attributes["hour"].tolist() == [0, 1.5, 3, 4.5, 6, 7.5]
    found = scored(as_model(Classifier()), data, batch_size=4)
    assert (found.scores.argmax(axis=1) == data.labels).all()


def test_a_maite_model_may_return_tensors():
    torch = pytest.importorskip("torch", reason="the torch extra is not installed")
    model = Classifier()
    model_of_tensors = type("T", (Classifier,), {"__call__": lambda self, b: [torch.tensor(t) for t in model(b)]})()
    data = as_data(Images())
    assert (scored(as_model(model_of_tensors), data, batch_size=4).scores.argmax(axis=1) == data.labels).all()


def row(**parts):
    """One row of a dataset, with a part replaced."""
    return type("D", (Images,), {"__getitem__": lambda self, n: parts["make"](*Images.__getitem__(self, n), n)})()


def test_datasets_that_are_no_classification_are_refused():
    for make, code, match in (
        (lambda x, y, m, n: (x[:, : 2 + n % 2], y, m), "data-type", "different shapes"),
        (lambda x, y, m, n: (x, np.ones(3), m), "data-type", "not one-hot"),
        (lambda x, y, m, n: (x, {"boxes": []}, m), "data-type", "not one-hot"),
        (lambda x, y, m, n: x, "data-type", "must be"),
        (lambda x, y, m, n: (x + np.inf, y, m), "data-missing-values", "inputs"),
    ):
        with problem(code, match):
            as_data(row(make=make))


def test_targets_may_be_numbers_and_metadata_may_be_left_out():
    data = as_data(row(make=lambda x, y, m, n: (x, int(y.argmax()))))
    assert data.classes == ("cat", "cow", "dog")
    assert dict(data.attributes) == {}


def test_an_empty_dataset_is_refused():
    with problem("data-empty"):
        as_data(type("E", (Images,), {"__len__": lambda self: 0})())


def test_pairs_mappings_and_data_are_taken():
    pair = as_data((X, Y))
    assert isinstance(pair, Data)
    assert as_data(pair) is pair
    mapping = as_data({"inputs": X, "labels": Y, "groups": Y, "attributes": {"age": Y + 30}})
    assert mapping.attributes["age"].tolist() == (Y + 30).tolist()
    assert np.array_equal(mapping.groups, Y)
    assert as_data({"inputs": X.tolist(), "labels": ["a"] * 6}).classes == ("a",)


def test_other_objects_are_refused():
    for obj, code, match in (
        (5, "data-type", "int"),
        ([X, Y], "data-type", "list"),
        ((X, Y, Y), "data-type", "tuple"),
        ((X, Y[:3]), "data-type", "different numbers"),
        (([[1], [1, 2]], [0, 1]), "data-type", "'inputs'"),
        ((np.ma.masked_equal(X, 3), Y), "data-missing-values", "masked"),
        ({"inputs": X, "lables": Y}, "data-column", "Did you mean 'labels'"),
        ({}, "data-empty", "usual names"),
        ((X, [None] * 6), "data-type", "objects"),
    ):
        with problem(code, match):
            as_data(obj)


def test_the_digest_is_of_names_and_values():
    digests = {as_data(d).digest for d in ((X, Y), (X + 1, Y), (X, Y[::-1]), {"inputs": X, "labels": Y, "groups": Y})}
    assert len(digests) == 4
    assert as_data((X.copy(order="F"), Y)).digest == as_data((X, Y)).digest


CODE = """
import numpy as np

def rows():
    from sizes import n
    return {"pixels": np.arange(n * 2.0).reshape(n, 2), "truth": np.arange(n) % 2, "age": np.arange(n)}

pair = (np.zeros((3, 1)), [0, 1, 0])

def fails():
    return 1 / 0

def nothing():
    return None
"""


@pytest.fixture
def project(write, tmp_path):
    write("rows.py", CODE)
    write("sizes.py", "n = 6\n")
    return tmp_path


def test_rows_come_from_code_of_the_project(project):
    names = {"inputs": "pixels", "labels": "truth", "attributes": ["age"]}
    data = load_data(callable="rows:rows", **names, folder=project)
    assert (data.inputs.shape, data.classes) == ((6, 2), ("0", "1"))
    assert data.digest == data_digest(callable="rows:rows", folder=project)
    without = load_data(callable="rows:rows", **names, folder=project, with_inputs=False)
    assert (without.inputs, without.digest) == (None, data.digest)
    assert len(load_data(callable="rows:pair", folder=project)) == 3


@pytest.mark.parametrize(
    ("name", "code", "match"),
    [
        ("fails", "data-unreadable", r"ZeroDivisionError.*\(rows\.py:11 in fails\)"),
        ("nothing", "data-type", "NoneType"),
        ("rwos", "data-unreadable", "Did you mean 'rows'"),
    ],
)
def test_code_that_gives_no_rows_is_explained(project, name, code, match):
    with problem(code, match):
        load_data(callable=f"rows:{name}", folder=project)
