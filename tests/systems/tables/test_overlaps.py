import numpy as np
import pytest
from scipy import stats
from tests.refusals import told

from surefoot.core import InvalidInput
from surefoot.systems import tables


def of(measured_of, first, second, **options):
    columns = {"encoder kde": [np.asarray(first, float)], "decoder kde": [np.asarray(second, float)]}
    return tables.overlaps(measured_of(scores=columns), **options)


def test_overlap_is_the_share_of_common_items_of_eqn_11(measured_of):
    first, second = np.random.default_rng(0).permuted(np.tile(np.arange(500), (2, 1)), axis=1)
    found = of(measured_of, first, second)
    for cell, top in zip(found.cells, (5, 25, 50), strict=True):
        common = set(np.argsort(first)[-top:]) & set(np.argsort(second)[-top:])
        assert cell.value == pytest.approx(len(common) / top)
        assert cell.details["top items"] == top


@pytest.mark.parametrize(
    ("n", "tops"), [(2600, (26, 130, 260)), (8940, (89, 447, 894))], ids=["LibriSpeech", "CommonVoice"]
)
def test_top_items_are_counted_as_under_tables_12_to_14(measured_of, n, tops):
    cells = of(measured_of, np.arange(n), np.arange(n)).cells
    assert tuple(cell.details["top items"] for cell in cells) == tops
    assert all(cell.value == 1.0 for cell in cells)


def test_p_is_the_hypergeometric_one_of_either_side(measured_of):
    n, top, common = 400, 40, 11
    second = np.concatenate([np.arange(common) + 900, np.arange(top - common), np.arange(n - top) + 400])
    (cell,) = of(measured_of, np.arange(n)[::-1], second, shares=(0.1,)).cells
    law = stats.hypergeom(n, top, top)
    assert cell.value == common / top
    assert cell.p == pytest.approx(2 * law.sf(common - 1))
    assert cell.details["chance"] == 0.1
    assert (cell.details["chance low"], cell.details["chance high"]) == tuple(law.ppf([0.025, 0.975]) / top)


def test_an_overlap_below_chance_is_found_too(measured_of):
    (cell,) = of(measured_of, np.arange(2000), -np.arange(2000), shares=(0.1,)).cells
    assert cell.value == 0.0
    assert cell.p == pytest.approx(2 * stats.hypergeom(2000, 200, 200).cdf(0))
    assert cell.significant


def test_p_is_right_for_modules_that_have_nothing_in_common(measured_of):
    rng = np.random.default_rng(1)
    ps = [of(measured_of, *rng.normal(size=(2, 200)), shares=(0.1,)).cells[0].p for _ in range(200)]
    assert np.mean(np.array(ps) < 0.05) <= 0.08


def test_items_tied_at_the_edge_count_in_part(measured_of):
    (cell,) = of(measured_of, [3, 1, 1, 1, 0], [5, 4, 3, 2, 1], shares=(0.4,)).cells
    assert cell.value == pytest.approx((1 + 1 / 3) / 2)


def test_the_order_of_tied_items_has_no_say(measured_of):
    rng = np.random.default_rng(2)
    first, second = rng.integers(4, size=(2, 200)).astype(float)
    order = rng.permutation(200)
    one, other = (of(measured_of, a, b).cells for a, b in ((first, second), (first[order], second[order])))
    assert [cell.value for cell in one] == [cell.value for cell in other]


def test_partial_overlap_is_the_mean_over_orders_of_ties(measured_of):
    rng = np.random.default_rng(3)
    first, second = rng.integers(3, size=(2, 30)).astype(float)
    drawn = [
        len(set(np.lexsort((rng.random(30), first))[-6:]) & set(np.lexsort((rng.random(30), second))[-6:]))
        for _ in range(2500)
    ]
    (cell,) = of(measured_of, first, second, shares=(0.2,)).cells
    assert 6 * cell.value == pytest.approx(np.mean(drawn), abs=0.06)


def test_undefined_overlaps_say_why(measured_of):
    for first, second, why in [
        (np.ones(200), np.arange(200), "does not vary"),
        (np.arange(50), np.arange(50), "less than one"),
        ([1.0], [2.0], "fewer than two"),
        ([np.nan, 1.0], [1.0, np.nan], "fewer than two"),
    ]:
        with told(first):
            found = of(measured_of, first, second, shares=(0.01,))
            (cell,) = found.cells
            assert (cell.value, cell.p, cell.significant) == (None, None, None)
            assert why in cell.why
            assert any(why in note for note in found.notes)


def test_items_without_a_value_are_left_out(measured_of):
    first = np.arange(101.0)
    first[100] = np.nan
    (cell,) = of(measured_of, first, np.arange(101), shares=(0.1,)).cells
    assert (cell.items, cell.left_out, cell.value) == (100, 1, 1.0)


def test_modules_are_compared_by_scores_of_the_same_name(two_modules):
    found = tables.overlaps(two_modules(300))
    assert {cell.of[:3] for cell in found.cells} == {("encoder", "decoder", "kde"), ("encoder", "decoder", "maha")}
    assert len(found.cells) == 4 * 2 * 3
    assert tables.as_in_paper(found).rows[0][2].rstrip("*").endswith("%")


def test_no_share_is_refused(two_modules):
    with pytest.raises(InvalidInput, match="share"):
        tables.overlaps(two_modules(), shares=())


def test_overlaps_of_units_claim_nothing_for_all_tests(two_modules):
    alone, grouped = tables.overlaps(two_modules()), tables.overlaps(two_modules(units=np.repeat(np.arange(10), 20)))
    assert all(cell.significant_all is not None for cell in alone.cells if cell.value is not None)
    assert {(cell.p_all, cell.significant_all) for cell in grouped.cells} == {(None, None)}
    assert [cell.value for cell in alone.cells] == [cell.value for cell in grouped.cells]
    assert "no p for all" in str(grouped)
