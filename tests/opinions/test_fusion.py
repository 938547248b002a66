"""Fusion against brute force, published examples and limits."""

import re
from itertools import product

import numpy as np
import pytest
from tests.opinions.refusals import refusal

from surefoot.core import InvalidInput, Undefined
from surefoot.opinions import HyperOpinion, MultinomialOpinion, Opinion, fuse

FIVE = [Opinion(*masses, 0.38) for masses in ((0.55, 0.3, 0.15), (0.6, 0.3, 0.1), (0.7, 0.2, 0.1))]
FIVE += [Opinion(0.8, 0.1, 0.1, 0.38), Opinion(0.9, 0.05, 0.05, 0.38)]
ALL = ["cumulative", "averaging", "weighted", "consensus", "constraint"]


def masses(opinion):
    return [opinion.belief, opinion.disbelief, opinion.uncertainty]


def random_opinions(count, seed):
    b, d, u = np.random.default_rng(seed).dirichlet([1, 1, 1], count).T
    return Opinion(b, d, u, np.random.default_rng(seed + 1).uniform(0.1, 0.9, count))


def test_five_sources_match_the_values_of_the_udatatypes_library():
    published = {
        "cumulative": (0.810, 0.171, 0.019),
        "averaging": (0.753, 0.159, 0.088),
        "consensus": (0.564, 0.057, 0.379),
        "constraint": (0.997, 0.003, 0.000),
    }
    for how, expected in published.items():
        np.testing.assert_allclose(masses(fuse(*FIVE, how=how)), expected, atol=6e-4, err_msg=how)


def test_aleatory_cumulative_fusion_of_josang_figure_12_4():
    fused = fuse(Opinion(0.0, 0.3, 0.7, 0.7), Opinion(0.7, 0.0, 0.3, 0.3))
    np.testing.assert_allclose([*masses(fused), fused.base_rate], (0.62, 0.11, 0.27, 0.36), atol=0.005)


@pytest.mark.parametrize("how", ALL)
def test_arrays_are_fused_element_by_element_and_one_source_broadcasts(how):
    x, y, z = (random_opinions(20, seed) for seed in (1, 2, 3))
    fused = fuse(x, y, z, how=how)
    for i in range(20):
        assert fuse(x[i], y[i], z[i], how=how).isclose(fused[i], tolerance=1e-12)
    assert np.all(fuse(random_opinions(20, 5), how=how).isclose(random_opinions(20, 5), tolerance=1e-12))
    many, one = random_opinions(5, 6), Opinion(0.2, 0.3, 0.5, 0.4)
    assert fuse(many, one, how=how)[3].isclose(fuse(many[3], one, how=how), tolerance=1e-12)


def test_constraint_fusion_matches_dempsters_rule_by_brute_force():
    sources = [random_opinions(1, seed)[0] for seed in (1, 2, 3, 4)]
    focal = [{frozenset("x"): o.belief, frozenset("n"): o.disbelief, frozenset("xn"): o.uncertainty} for o in sources]
    fused = {}
    for sets in product(*focal):
        common = frozenset.intersection(*sets)
        fused[common] = fused.get(common, 0) + np.prod([m[s] for m, s in zip(focal, sets, strict=True)])
    agreed = 1 - fused[frozenset()]
    expected = [fused[frozenset(s)] / agreed for s in ("x", "n", "xn")]
    np.testing.assert_allclose(masses(fuse(*sources, how="constraint")), expected, rtol=1e-12)


def test_constraint_base_rate_is_weighted_by_confidence_and_free_of_order():
    x, y, z = Opinion(0.6, 0.2, 0.2, 0.1), Opinion(0.1, 0.4, 0.5, 0.9), Opinion(0.3, 0.3, 0.4, 0.5)
    expected = (0.1 * 0.8 + 0.9 * 0.5 + 0.5 * 0.6) / (0.8 + 0.5 + 0.6)
    assert fuse(x, y, z, how="constraint").base_rate == pytest.approx(expected)
    assert fuse(z, x, y, how="constraint").base_rate == pytest.approx(expected)


def test_total_conflict_is_undefined_and_says_where():
    with pytest.raises(Undefined, match="conflict 1 at index 1"):
        fuse(Opinion([0.5, 1.0], [0.5, 0.0], 0.0), Opinion([0.5, 0.0], [0.5, 1.0], 0.0), how="constraint")


@pytest.mark.parametrize("how", ["cumulative", "averaging", "weighted"])
def test_dogmatic_sources_are_the_limit_of_shrinking_uncertainty(how):
    def at(u):
        sources = [Opinion(0.9 * (1 - u), 0.1 * (1 - u), u, 0.3), Opinion(0.2 * (1 - u / 3), 0.8 * (1 - u / 3), u / 3)]
        return fuse(*sources, Opinion(0.3, 0.3, 0.4), how=how)

    limit = fuse(Opinion(0.9, 0.1, 0, 0.3), Opinion(0.2, 0.8, 0), Opinion(0.3, 0.3, 0.4), how=how, weights=[1, 3, 5])
    np.testing.assert_allclose(masses(limit), masses(at(1e-9)), atol=1e-8)
    np.testing.assert_allclose(masses(limit), (0.25 * 0.9 + 0.75 * 0.2, 0.25 * 0.1 + 0.75 * 0.8, 0))


def test_a_dogmatic_source_overrules_the_others():
    for how in ("cumulative", "averaging", "weighted"):
        fused = fuse(Opinion(0.9, 0.1, 0, 0.3), Opinion(0.1, 0.8, 0.1), how=how)
        np.testing.assert_allclose([*masses(fused), fused.base_rate], (0.9, 0.1, 0, 0.3), err_msg=how)


def test_cumulative_fusion_of_nearly_dogmatic_sources_does_not_overflow():
    tiny = 1e-320
    fused = fuse(Opinion(1, 0, tiny), Opinion(0, 1, tiny))
    np.testing.assert_allclose(masses(fused)[:2], (0.5, 0.5))


def test_vacuous_sources_stay_vacuous_with_the_mean_base_rate():
    for how in ALL:
        fused = fuse(*(Opinion.vacuous(a) for a in (0.1, 0.2, 0.6)), how=how)
        assert fused.isclose(Opinion.vacuous(0.3)), how


def test_weighted_base_rate_is_weighted_by_confidence_and_averaging_is_plain():
    x, y = Opinion(0.6, 0.2, 0.2, 0.1), Opinion(0.1, 0.4, 0.5, 0.9)
    assert fuse(x, y, how="weighted").base_rate == pytest.approx((0.1 * 0.8 + 0.9 * 0.5) / 1.3)
    assert fuse(x, y, how="averaging").base_rate == pytest.approx(0.5)


def test_consensus_of_opposite_certainties_is_ignorance():
    assert fuse(Opinion(1, 0, 0), Opinion(0, 1, 0), how="consensus") == Opinion(0, 0, 1)
    assert fuse(Opinion(0.5, 0.5, 0), Opinion(1, 0, 0), how="consensus").isclose(Opinion(0.5, 0, 0.5))


def test_consensus_without_any_compromise_leaves_the_rest_uncertain():
    fused = fuse(Opinion(0.8, 0.2, 0), Opinion(0.6, 0.4, 0), Opinion(0.5, 0.2, 0.3), how="consensus")
    np.testing.assert_allclose(masses(fused), (0.5, 0.2, 0.3))


def test_consensus_is_not_associative_so_all_sources_go_in_at_once():
    x, y, z = Opinion(0.1, 0.3, 0.6), Opinion(0.4, 0.2, 0.4), Opinion(0.7, 0.1, 0.2)
    at_once = fuse(x, y, z, how="consensus")
    chained = fuse(fuse(x, y, how="consensus"), z, how="consensus")
    assert abs(at_once.uncertainty - chained.uncertainty) > 0.01


def test_consensus_jumps_at_full_agreement_as_published():
    equal, near = Opinion(0.7, 0.1, 0.2), Opinion(0.7 + 1e-9, 0.1, 0.2 - 1e-9)
    assert fuse(equal, equal, how="consensus").isclose(equal)
    assert fuse(equal, near, how="consensus").belief == pytest.approx(0.86, abs=1e-6)


def brute_force_consensus(one, other, base_rate, whole):
    """Jøsang 2016, section 12.6, written out for two sources over Python sets."""
    sets = set(one) | set(other)
    rate = {s: sum(base_rate[v] for v in s) for s in sets}
    shared = {s: min(one.get(s, 0), other.get(s, 0)) for s in sets - {whole}}
    rest = [{s: m.get(s, 0) - shared[s] for s in sets - {whole}} for m in (one, other)]
    doubts = one.get(whole, 0), other.get(whole, 0)
    compromise = {}

    def put(s, mass):
        compromise[s] = compromise.get(s, 0) + mass

    for s in sets - {whole}:
        put(s, rest[0][s] * doubts[1] + rest[1][s] * doubts[0])
    for s, t in product(sets - {whole}, repeat=2):
        mass, common = rest[0][s] * rest[1][t], s & t
        overlap = sum(base_rate[v] for v in common) ** 2 / (rate[s] * rate[t])
        if common:
            put(common, mass * overlap)
            put(s | t, mass * (1 - overlap))
        else:
            put(s | t, mass)
    factor = (1 - sum(shared.values()) - doubts[0] * doubts[1]) / sum(compromise.values())
    belief = {s: shared.get(s, 0) + factor * compromise.get(s, 0) for s in (set(compromise) | sets) - {whole}}
    return belief, doubts[0] * doubts[1] + factor * compromise.get(whole, 0)


def test_consensus_of_hyper_opinions_matches_the_book_by_brute_force():
    rng = np.random.default_rng(7)
    whole, base_rate = frozenset(range(4)), rng.dirichlet(np.ones(4))
    subsets = [frozenset(i for i in range(4) if mask >> i & 1) for mask in range(1, 15)]
    for _ in range(20):
        chosen = [rng.choice(14, 5, replace=False) for _ in range(2)]
        weights = [rng.dirichlet(np.ones(6)) for _ in range(2)]
        one, other = (
            {subsets[i]: m for i, m in zip(picks, w, strict=False)} for picks, w in zip(chosen, weights, strict=True)
        )
        doubts = [w[-1] for w in weights]
        fused = fuse(
            HyperOpinion(one, doubts[0], base_rate), HyperOpinion(other, doubts[1], base_rate), how="consensus"
        )
        belief, doubt = brute_force_consensus(one | {whole: doubts[0]}, other | {whole: doubts[1]}, base_rate, whole)
        assert fused.uncertainty == pytest.approx(doubt)
        for subset, mass in belief.items():
            assert fused.belief.get(subset, 0) == pytest.approx(mass, abs=1e-12)


def test_zadehs_doctors_of_josang_table_12_6():
    one, other = MultinomialOpinion([0.99, 0.01, 0], 0), MultinomialOpinion([0, 0.01, 0.99], 0)
    compromise = fuse(one, other, how="consensus")
    assert compromise.belief[frozenset({0, 2})] == pytest.approx(0.99)
    assert compromise.belief[frozenset({1})] == pytest.approx(0.01)
    np.testing.assert_allclose(fuse(one, other, how="constraint").belief, (0, 1, 0), atol=1e-12)
    np.testing.assert_allclose(fuse(one, other).belief, (0.495, 0.01, 0.495))


def test_cinema_of_josang_table_12_3():
    rates = [0.6, 0.2, 0.2]
    alice = MultinomialOpinion([0.98, 0.01, 0.0], 0.01, rates)
    bob = MultinomialOpinion([0.0, 0.01, 0.98], 0.01, rates)
    np.testing.assert_allclose(fuse(alice, bob, how="constraint").probability, (0.493, 0.016, 0.491), atol=1.5e-3)
    clark = HyperOpinion({frozenset({1, 2}): 1.0}, 0.0, rates)
    all_three = fuse(alice, bob, clark, how="constraint")
    np.testing.assert_allclose(all_three.probability[2], 0.966, atol=3e-3)


def test_binomial_fusion_is_the_two_valued_case_of_multinomial_fusion():
    x, y, z = (random_opinions(10, seed) for seed in (1, 3, 5))
    pairs = [
        MultinomialOpinion(
            np.stack([o.belief, o.disbelief], -1), o.uncertainty, np.stack([o.base_rate, 1 - o.base_rate], -1)
        )
        for o in (x, y, z)
    ]
    for how in ALL:
        fused = fuse(*pairs, how=how)
        many = fused.to_multinomial() if isinstance(fused, HyperOpinion) else fused
        assert np.all(many.coarsened([0]).isclose(fuse(x, y, z, how=how), tolerance=1e-12))


def test_bad_sources_are_named():
    cases = [
        ((), {}, "at least one opinion is needed"),
        ((Opinion.vacuous(), 0.5), {}, "opinions are needed; found float"),
        ((Opinion.vacuous(),), {"how": "cumulativ"}, "Did you mean 'cumulative'"),
        (
            (Opinion.vacuous(), Opinion.vacuous()),
            {"weights": [100, 1]},
            "weights of dogmatic sources, and no source is",
        ),
        (
            (Opinion(0.9, 0, 0.1), Opinion(0, 0.9, 0.1)),
            {"weights": [9, 1], "how": "averaging"},
            "no source is dogmatic",
        ),
        ((Opinion.vacuous(), Opinion.vacuous()), {"weights": [1]}, "one for each source"),
        ((Opinion.vacuous(), Opinion.vacuous()), {"weights": [1, -1]}, "weights must be positive"),
        ((Opinion.vacuous(),), {"weights": [1], "how": "constraint"}, "takes no weights"),
        ((Opinion.vacuous(), MultinomialOpinion([0, 0, 0], 1)), {}, "must be about one variable"),
        ((MultinomialOpinion([0, 0], 1), MultinomialOpinion([0, 0, 0], 1)), {}, "must be about one variable"),
        ((Opinion.from_counts([1, 2], 3), Opinion.from_counts([1, 2, 3], 3)), {}, "do not fit together"),
    ]
    for arguments, options, message in cases:
        assert re.search(message, refusal(fuse, *arguments, **options)), message


def test_too_many_combinations_of_sets_are_refused():
    subsets = {frozenset(i for i in range(6) if mask >> i & 1): 1 / 62 for mask in range(1, 63)}
    sources = []
    for shift in range(4):
        scaled = {s: m * (1 + 0.01 * ((i + shift) % 7)) for i, (s, m) in enumerate(subsets.items())}
        total = sum(scaled.values())
        sources.append(HyperOpinion({s: m / total * 0.9 for s, m in scaled.items()}, 0.1, [1 / 6] * 6))
    with pytest.raises(InvalidInput, match="too many combinations"):
        fuse(*sources, how="consensus")
