"""Tables of evidence."""

from surefoot.core import Table


def test_a_table_prints_as_one():
    table = Table(("cell", "risk"), ((1, 0.25), (12, 0.123456789)))
    assert str(table).splitlines() == ["cell  risk", "1     0.25", "12    0.123457"]
    assert "<td" in table._repr_html_()
    assert str(Table(("n",), tuple((n,) for n in range(103)))).endswith("and 3 more")
