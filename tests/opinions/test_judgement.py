from itertools import product

import pytest
from tests.opinions.refusals import accepted

from surefoot.core import InvalidInput, Undefined
from surefoot.opinions import CONFIDENCES, LIKELIHOODS, fuse, judgement, judgement_table


@pytest.mark.parametrize("base_rate", [0.0, 0.2, 0.5, 1.0])
def test_table_has_exactly_the_cells_with_masses_in_range_and_keeps_probability_and_uncertainty(base_rate):
    table = judgement_table(base_rate=base_rate)
    for (likelihood, confidence), opinion in table.items():
        assert opinion.probability == pytest.approx(LIKELIHOODS[likelihood])
        assert opinion.uncertainty == pytest.approx(CONFIDENCES[confidence])
        assert opinion.belief + opinion.disbelief + opinion.uncertainty == pytest.approx(1)
    for cell in product(LIKELIHOODS, CONFIDENCES):
        p, u = LIKELIHOODS[cell[0]], CONFIDENCES[cell[1]]
        possible = p - base_rate * u >= -1e-12 and 1 - p - (1 - base_rate) * u >= -1e-12
        assert (cell in table) == possible


def test_cells_at_even_base_rate_form_the_triangle_of_josang_2016():
    table = judgement_table()
    rows = [sum(confidence == c for _, c in table) for confidence in CONFIDENCES]
    assert rows == [1, 3, 5, 7, 9]


def test_judgements_mirror():
    likely, unlikely = (judgement(word, "some confidence") for word in ("somewhat likely", "somewhat unlikely"))
    assert (~likely).isclose(unlikely)


def test_qualitative_evidence_strengthens_by_fusion():
    expert = judgement("very likely", "high confidence")
    fused = fuse(expert, expert)
    assert fused.uncertainty < expert.uncertainty
    assert fused.belief > expert.belief


def test_extreme_likelihood_without_confidence_is_undefined():
    with pytest.raises(Undefined, match="total confidence"):
        judgement("absolutely", "low confidence")


def test_bad_input_is_refused():
    calls = [
        lambda: judgement("likly", "high confidence"),
        lambda: judgement("likely", "highish"),
        lambda: judgement("likely", "high confidence", base_rate=-0.1),
        lambda: judgement("likely", "high confidence", base_rate=float("nan")),
        lambda: judgement_table(base_rate=2),
    ]
    assert accepted(calls) == []


def test_misspelling_gets_a_suggestion():
    with pytest.raises(InvalidInput, match="Did you mean 'likely'"):
        judgement("likly", "high confidence")
