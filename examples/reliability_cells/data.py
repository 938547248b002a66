"""Rows and forest of the running example for ``surefoot.yaml``, made when they are asked for; no file is kept."""

import published

example = published.load()
forest = example.model


def all_rows() -> published.Labelled:
    """The 5,000 rows, which label the cells; an assessment leaves out those that are held out."""
    return example.whole


def test_rows() -> published.Labelled:
    """The 1,000 rows that the forest did not see."""
    return example.test
