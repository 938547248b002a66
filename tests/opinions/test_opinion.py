import pickle
import re

import numpy as np
import pytest
from scipy import stats
from tests.opinions.refusals import refusal

from surefoot.core import Assumption, Estimate, InvalidInput, Provenance, Target, Undefined
from surefoot.opinions import MultinomialOpinion, Opinion


def test_recall_opinion_of_herd_and_burton():
    recall = Opinion.from_counts(470, 10)
    assert [round(float(m), 3) for m in (recall.belief, recall.disbelief, recall.uncertainty)] == [0.975, 0.021, 0.004]
    assert recall.beta() == (471, 11)


def test_intervals_printed_as_95_percent_are_99_percent_as_in_the_errata():
    recall = Opinion.from_counts(470, 10)
    np.testing.assert_allclose(recall.interval(0.99), (0.9560, 0.9910), atol=5e-5)
    np.testing.assert_allclose(recall.interval(0.95), (0.9621, 0.9885), atol=5e-5)


def test_josang_example_3_1_and_3_2():
    x = Opinion(0.4, 0.2, 0.4, 0.9)
    assert x.probability == pytest.approx(0.76)
    np.testing.assert_allclose(x.beta(), (3.8, 1.2))


def test_interval_matches_scipy_stats():
    rng = np.random.default_rng(3)
    r, s, a = rng.integers(0, 50, 200), rng.integers(0, 50, 200), rng.uniform(0.05, 0.95, 200)
    low, high = Opinion.from_counts(r, s, base_rate=a, prior_weight=3).interval(0.9)
    expected = stats.beta(r + 3 * a, s + 3 * (1 - a)).ppf([[0.05], [0.95]])
    np.testing.assert_allclose([low, high], expected, rtol=1e-9)


def test_interval_keeps_its_digits_beside_a_billion_successes():
    low, _ = Opinion.from_counts(1e9, 1).interval(0.99)
    assert 1 - low == pytest.approx(stats.beta(2, 1e9 + 1).ppf(0.995), rel=1e-6)


def test_interval_of_a_dogmatic_opinion_is_its_probability():
    low, high = Opinion([0.9, 0.2], [0.1, 0.4], [0.0, 0.4]).interval(0.95)
    assert (low[0], high[0]) == (0.9, 0.9)
    np.testing.assert_allclose((low[1], high[1]), stats.beta(2, 3).ppf([0.025, 0.975]))


def test_interval_of_a_base_rate_of_0_without_belief_is_the_point_0():
    assert Opinion.vacuous(0.0).interval(0.95) == (0.0, 0.0)


def test_vacuous_opinion_is_the_uniform_distribution():
    assert Opinion.vacuous().beta() == (1, 1)
    np.testing.assert_allclose(Opinion.vacuous().interval(0.9), (0.05, 0.95))


def test_prior_weight_travels_with_the_opinion():
    opinion = Opinion.from_counts(30, 10, prior_weight=10, base_rate=0.2)
    np.testing.assert_allclose(opinion.beta(), (32, 18))
    np.testing.assert_allclose((~opinion).beta(), (18, 32))
    np.testing.assert_allclose(opinion.counts(), (30, 10))


def test_with_prior_weight_keeps_the_evidence():
    opinion = Opinion.from_counts(30, 10, prior_weight=10).with_prior_weight(2)
    assert opinion.isclose(Opinion.from_counts(30, 10))


def test_different_prior_weights_do_not_combine_silently():
    with pytest.raises(InvalidInput, match="2, 10"):
        Opinion.from_counts(1, 2) & Opinion.from_counts(1, 2, prior_weight=10)


def test_a_prior_weight_of_0_takes_counts_as_the_whole_truth():
    opinion = Opinion.from_counts(9, 1, prior_weight=0)
    assert opinion == Opinion(0.9, 0.1, 0.0)
    with pytest.raises(Undefined, match="no observations"):
        Opinion.from_counts([1, 0], [1, 0], prior_weight=0)


def test_beta_of_a_dogmatic_opinion_is_undefined():
    with pytest.raises(Undefined, match="uncertainty 0 at index 1"):
        Opinion([0.5, 0.5], [0.3, 0.5], [0.2, 0.0]).beta()


def test_from_beta_with_less_than_the_prior_is_an_error():
    with pytest.raises(InvalidInput, match="alpha"):
        Opinion.from_beta(0.5, 3)


def test_bad_components_are_named():
    cases = [
        ((0.7, 0.1, 0.3), "belief \\+ disbelief \\+ uncertainty must be 1; found a sum of 1.1"),
        (([0.7, 0.7], 0.1, [0.2, 0.3]), "found a sum of 1.1 at index 1 \\(1 such in all\\)"),
        ((1.2, -0.2, 0), "belief must lie in \\[0, 1\\]; found 1.2"),
        ((0.5, 0.5, 0.0, 1.5), "base_rate must lie in \\[0, 1\\]; found 1.5"),
        ((float("nan"), 0, 1), "belief must be finite; found nan"),
        (([0.5, np.inf], 0.5, 0), "belief must be finite; found inf at index 1"),
        (([], [], []), "belief is empty"),
        (
            ([0.1, 0.2], [0.1, 0.2, 0.3], 0.5),
            "shapes of .* do not fit together; found belief \\(2,\\), disbelief \\(3,\\)",
        ),
        (("much", 0, 1), "belief must be numbers"),
    ]
    for arguments, message in cases:
        assert re.search(message, refusal(Opinion, *arguments)), message


def test_bad_counts_are_named():
    cases = [
        ((-1, 2), {}, "positive must not be negative; found -1"),
        ((1, [2, -3]), {}, "negative must not be negative; found -3 at index 1"),
        ((1, float("nan")), {}, "negative must be finite"),
        (([], []), {}, "positive is empty"),
        (([1, 2], [1, 2, 3]), {}, "do not fit together"),
        ((1, 1), {"prior_weight": -1}, "prior_weight must lie in"),
        ((1, 1), {"base_rate": 2}, "base_rate must lie in"),
    ]
    for counts, options, message in cases:
        assert re.search(message, refusal(Opinion.from_counts, *counts, **options)), message


def test_levels_outside_0_and_1_are_errors():
    for level in (0, 1, float("nan"), 95):
        assert "level" in refusal(Opinion.vacuous().interval, level), level


def test_opinions_are_frozen_and_do_not_share_memory_with_the_caller():
    belief = np.array([0.5, 0.6])
    opinion = Opinion(belief, 1 - belief, 0.0)
    belief[0] = 0.0
    assert opinion.belief[0] == 0.5
    with pytest.raises(ValueError, match="read-only"):
        opinion.belief[0] = 0.1
    with pytest.raises(AttributeError):
        opinion.belief = 0.1


def test_results_are_read_only_too():
    opinion = Opinion.from_counts([1, 2], [3, 4]) & Opinion.from_counts(5, 6)
    with pytest.raises(ValueError, match="read-only"):
        opinion.uncertainty[0] = 0.0


def test_indexing_length_and_equality():
    opinions = Opinion.from_counts([[1, 2, 3], [4, 5, 6]], 7)
    assert (len(opinions), opinions.shape, opinions.size) == (2, (2, 3), 6)
    assert opinions[1, 2] == Opinion.from_counts(6, 7)
    assert [o.shape for o in opinions] == [(3,), (3,)]
    assert opinions != opinions[0]
    assert len({opinions[0], opinions[0][:], opinions[1]}) == 2
    with pytest.raises(TypeError):
        len(opinions[0, 0])
    with pytest.raises(TypeError):
        opinions[0, 0][0]


def test_an_opinion_has_no_truth_value():
    for opinion in (Opinion(0, 1, 0), Opinion.from_counts([1], [2]), Opinion.vacuous()):
        assert "opinion.probability" in refusal(bool, opinion), opinion


def test_minus_zero_is_zero_in_equality_and_hash():
    one, other = Opinion(-0.0, 1.0, 0.0), Opinion(0.0, 1.0, -0.0)
    assert one == other
    assert hash(one) == hash(other)


def test_evidence_beyond_the_largest_number_is_refused():
    with pytest.raises(InvalidInput, match="evidence"):
        Opinion.from_counts(1e308, 1e308)
    with pytest.raises(InvalidInput, match="evidence"):
        MultinomialOpinion.from_counts([1e308, 1e308])


def test_an_opinion_does_not_mix_with_numbers():
    with pytest.raises(TypeError):
        Opinion.vacuous() & 0.5
    with pytest.raises(TypeError):
        np.ones(3) * Opinion.vacuous()
    assert Opinion.vacuous() != 0.5


def test_dict_and_pickle_round_trips():
    for opinion in (Opinion(0.2, 0.3, 0.5, 0.1, prior_weight=3), Opinion.from_counts([1, 2], [3, 4])):
        assert Opinion.from_dict(opinion.to_dict()) == opinion
        assert pickle.loads(pickle.dumps(opinion)) == opinion
    with pytest.raises(InvalidInput, match="has the fields"):
        Opinion.from_dict({"belief": 1})


def test_repr_shows_the_masses_or_the_shape():
    assert repr(Opinion(0.7, 0.1, 0.2)) == "Opinion(belief=0.7, disbelief=0.1, uncertainty=0.2, base_rate=0.5)"
    assert repr(Opinion.from_counts([1, 1], [1, 1])) == "Opinion(shape=(2,), mean probability=0.5)"


def test_estimate_carries_the_beta_and_bounds_at_every_level():
    opinion = Opinion.from_counts(470, 10)
    extra = Assumption("iid", "images are independent")
    estimate = opinion.to_estimate(quantity="recall", scope="signs", assumptions=[extra], kind="credible")
    posterior = stats.beta(471, 11)
    for level in (0.5, 0.95, 0.9999):
        assert estimate.lower(level) == pytest.approx(posterior.ppf(1 - level))
        assert estimate.upper(level) == pytest.approx(posterior.ppf(level))
    assert (estimate.quantity, estimate.scope, estimate.bounds[0].kind) == ("recall", "signs", "credible")
    assert [a.id for a in estimate.assumptions] == ["opinion-is-beta", "iid"]
    assert Estimate.from_dict(estimate.to_dict()) == estimate
    assert estimate.key != opinion.to_estimate(quantity="recall", scope="other").key


def test_an_opinion_is_no_statement_of_another_kind():
    for kind in ("certain", "confidence", "expectation", "sure", None):
        assert "kind" in refusal(Opinion.from_counts(0, 5).to_estimate, kind=kind), kind


def test_a_heuristic_estimate_meets_no_target_by_default():
    opinion, target = Opinion.from_counts(2, 10_000), Target(at_most=0.01)
    assert opinion.to_estimate(kind="credible").meets(target).status == "met"
    assert opinion.to_estimate().meets(target).status == "not shown"


def test_estimate_takes_a_provenance():
    source = Provenance("metrics.recall", {"tp": 1})
    assert Opinion.from_counts(1, 1).to_estimate(provenance=source).provenance == source


def test_estimate_of_what_has_no_distribution_is_refused():
    with pytest.raises(Undefined, match="dogmatic"):
        Opinion(1, 0, 0).to_estimate()
    with pytest.raises(Undefined, match="base rate"):
        Opinion.from_counts(0, 5, base_rate=0).to_estimate()
    with pytest.raises(InvalidInput, match="only a single opinion"):
        Opinion.from_counts([1, 2], 3).to_estimate()


def test_a_million_opinions_at_once():
    counts = np.random.default_rng(0).integers(0, 1000, (2, 1_000_000))
    opinions = Opinion.from_counts(*counts)
    assert opinions.size == 1_000_000
    np.testing.assert_allclose(opinions.belief + opinions.disbelief + opinions.uncertainty, 1.0, atol=1e-15)


def test_intervals_are_right_where_scipy_is_wrong_by_a_factor():
    low, high = Opinion.from_counts(999, 9091).interval(0.9)
    assert low < 1000 / 10092 < high < 0.11
