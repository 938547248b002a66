"""For each code a case that raises it, the same case mended, and what is handed to ``check`` with each."""

from dataclasses import replace

from tests.case.checks.cases import (
    BY_HAND,
    CONDITIONALS,
    ONE_SIDE,
    OTHER,
    REFERENCE,
    argument,
    deputy,
    leaf,
    measured_with,
    number,
    numbered,
    paper,
    plain,
    side,
    small,
    two_legs,
    two_levels,
    upper,
)

from surefoot.case import Case, Choice, ClaimPoint, Module, Node
from surefoot.core import Evidence, Provenance, Target

NEVER = small(leaf())


def structure():
    defeater = Node("D1", "defeater", "Fog was forgotten", challenges=("C1",))
    yield "case-unknown-node", small(claim={"supported_by": ("C9",), "undeveloped": False}), NEVER
    yield "case-self-reference", small(claim={"supported_by": ("top", "C1"), "undeveloped": False}), NEVER
    yield "case-self-challenge", small(leaf(), replace(defeater, challenges=("C1", "D1"))), small(leaf(), defeater)
    yield "case-repeated-reference", small(leaf(), claim={"supported_by": ("C1", "C1")}), NEVER
    circle = [Node("C1", "claim", "One", ("C2",)), Node("C2", "claim", "Two", ("C1",))]
    yield "case-circle", small(*circle, claim={"supported_by": ("C1",), "undeveloped": False}), NEVER
    yield "case-no-top", Case.of([paper()]), NEVER
    yield "case-several-tops", Case.of([leaf("C1"), leaf("C2", "Two")], notation="gsn"), NEVER
    yield "case-unreachable", small(leaf(), paper(), claim={"supported_by": ("C1",)}), small(leaf(), paper())
    yield "case-relation", small(Node("C1", "claim", "It holds", ("K1",)), Node("K1", "context", "Here")), NEVER
    yield "case-relation", small(leaf(), leaf("C2", "It fails", challenges=("C1",))), small(leaf(), defeater)
    yield "case-claim-on-claim", small(leaf(), notation="cae"), small(argument("S1", "C1"), leaf(), notation="cae")
    yield "case-argument-nested", small(argument("S1", "S2"), argument("S2", "E1"), paper()), NEVER
    yield "case-field-misplaced", small(paper(undeveloped=True)), small(paper())
    yield "case-field-misplaced", side(digest="0" * 64, stated=BY_HAND), side(assumption="iid", stated=BY_HAND)
    attaching = small(leaf(supported_by=("@target misses",), undeveloped=False))
    yield "case-fragment-unknown", attaching, small(leaf())
    developed = Node("C1", "claim", "It holds", ("E1",), undeveloped=True)
    yield "case-undeveloped-developed", small(developed, paper()), small(replace(developed, undeveloped=False), paper())
    yield "case-undeveloped-developed", small(leaf(stated=BY_HAND)), small(leaf(undeveloped=False, stated=BY_HAND))
    yield "case-undeveloped-unmarked", small(leaf(undeveloped=False)), NEVER
    yield "case-argument-empty", small(argument("S1")), small(argument("S1", "E1"), paper())
    yield "case-defeater-idle", small(replace(defeater, challenges=()), leaf()), small(leaf(), defeater)
    yield "case-defeated-unchallenged", small(leaf(defeated=True)), small(leaf(defeated=True), defeater)
    eliminated = replace(defeater, defeated=True)
    yield "case-defeated-unchallenged", small(leaf(), eliminated), small(leaf(), replace(eliminated, note="Measured"))

    doubted = replace(defeater, challenges=("top -> C1",))
    related = small(leaf(), doubted, claim={"supported_by": ("C1",)})
    yield "case-no-relation", small(leaf(), replace(doubted, challenges=("C1 -> top",))), related
    dismissed = related.with_nodes([replace(related["top"], defeated_relations=("C1",))])
    yield "case-no-relation", related.with_nodes([replace(related["top"], defeated_relations=("D1",))]), dismissed
    yield "case-defeated-unchallenged", dismissed.with_nodes([replace(doubted, challenges=("D1",))]), dismissed
    points = {"claim_points": {"ACP1": ClaimPoint(("E9",))}}
    yield "case-no-relation", small(leaf(**points)), small(leaf(claim_points={"ACP1": ClaimPoint(("C1",))}))
    yield "case-relation", small(leaf(claim_points={"ACP1": ClaimPoint(argued_by="E1")}), paper()), NEVER
    yield "case-undeveloped-developed", small(leaf(by_contract=True)), small(leaf(undeveloped=False, by_contract=True))


def words():
    yield "case-text-empty", small(leaf(text=" ")), NEVER
    yield "case-text-placeholder", small(leaf(text="{system} is safe")), small(leaf(text="In {0, 1} and 10^{-3}"))
    yield "case-text-placeholder", small(leaf(text="TBD")), NEVER
    yield "case-text-duplicate", small(leaf(), leaf("C2", "it  holds.")), small(leaf(), leaf("C2", "Another"))
    yield "case-id-similar", small(leaf("C.1"), leaf("c-1", "Two")), small(leaf("C.1"), leaf("C.2", "Two"))
    yield "case-id-kind", small(leaf("Sn1")), small(leaf("G1"))
    tagged = paper(tags=("AMLAS: artefact JJ",))
    yield "case-tag-unknown", small(tagged), small(paper(tags=("AMLAS: artefact J", "release 2")))
    yield "case-tag-unknown", small(paper(tags=("AMLSA: stage 2",))), small(paper(tags=("AMLAS: stage 2",)))
    yield "case-url-dubious", small(paper(url="javascript:alert(1)")), small(paper(url="https://example.org"))
    yield "case-url-dubious", small(paper(url="as discussed")), small(paper(url="report.pdf"))
    one = argument("S1", "E1", block=None)
    yield "case-block-missing", small(one, paper(), notation="cae"), small(one, paper())
    yield (
        "case-block-mismatch",
        small(argument("S1", "C1", block="evidence incorporation"), leaf()),
        small(argument("S1", "E1", block="evidence incorporation"), paper()),
    )
    alone = argument("S1", "E1", block="decomposition")
    yield (
        "case-block-mismatch",
        small(alone, paper()),
        small(replace(alone, supported_by=("E1", "C1")), paper(), leaf()),
    )
    deduced = argument("S1", "E1", combining="deduction")
    stated = replace(deduced, stated=CONDITIONALS)
    yield "case-deduction-unstated", small(deduced, paper()), small(stated, paper())
    yield "case-conditionals-unused", small(replace(stated, combining="all"), paper()), small(stated, paper())
    yield "case-legs-alone", small(argument("S1", "E1", combining="legs"), paper()), two_legs("E1", "E2")
    yield "case-legs-shared", two_legs("E1", "E1"), two_legs("E1", "E2")


def modules():
    there = small(deputy("M/far"), OTHER, modules="M")
    yield "case-module-unknown", small(deputy("M/far"), OTHER), there
    yield "case-module-extends", small(leaf(), modules="M", extends="L"), NEVER
    loop = {"L": Module("L", extends="M"), "M": Module("M", extends="L")}
    yield "case-module-extends", replace(NEVER, modules=loop), replace(NEVER, modules={})
    yield "case-module-unused", small(leaf(), OTHER, modules="M"), there
    yield "case-subcase-unresolved", small(deputy("M/near"), OTHER, modules="M"), there
    yield "case-subcase-unresolved", small(deputy("")), there
    strategy = argument("far", module="M", public=True, undeveloped=True)
    yield "case-subcase-kind", small(deputy("M/far"), strategy, modules="M"), there
    away = small(deputy("M/far"), paper("far", module="M", public=True), modules="M")
    yield "case-subcase-kind", replace(away, notation="cae"), away
    claim = replace(OTHER, id="C9", module="L")
    developing = {"L": Module("L", extends="here", develops={"C1": ("C9",)})}
    whole = replace(small(leaf(), claim), modules=developing, name="here")
    yield "case-develops", replace(whole, modules={"L": replace(developing["L"], develops={"C8": ("C9",)})}), whole
    shown = small(leaf("C1", supported_by=("E1",)), paper(), claim)
    yield "case-develops", replace(shown, modules=developing, name="here"), whole
    yield "case-subcase-text", small(replace(deputy("M/far"), text="Near"), OTHER, modules="M"), there
    yield "case-not-public", small(deputy("M/far"), replace(OTHER, public=False), modules="M"), there
    hidden = replace(OTHER, public=False)
    yield "case-not-public", small(hidden, claim={"supported_by": ("far",)}, modules="M"), there
    contract = Node("K", "contract", "Far holds near up")
    fulfilled = small(replace(contract, of="M"), OTHER, modules="M")
    yield "case-contract-unfulfilled", small(contract), fulfilled
    yield "case-contract-unfulfilled", small(replace(contract, of="M/near"), OTHER, modules="M"), fulfilled


def patterns():
    choice = (Choice(("C1", "C2")),)
    yield "case-pattern-left", small(leaf(uninstantiated=True)), NEVER
    open_ = small(leaf(uninstantiated=True), claim={"uninstantiated": True})
    yield "case-pattern-left", small(leaf(), claim={"multiplicity": {"C1": "n"}}), open_
    below = {"choice": choice, "uninstantiated": True}
    both = small(leaf(), leaf("C2", "Two"), claim=below)
    yield "case-pattern-part", small(leaf(), claim=below), both
    yield "case-pattern-part", small(leaf(), claim={"multiplicity": {"C7": "n"}}), both
    yield "case-multiplicity", small(leaf(), claim={"multiplicity": {"C1": "some"}, "uninstantiated": True}), open_
    yield "case-multiplicity", small(leaf(), claim={"multiplicity": {"C1": "3..1"}}), open_


def numbers():
    def says(text, **limits):
        return numbered(claim={"text": text}, **limits)[0]

    yield "case-number-text", says("Fails at most once in 100"), says("Fails at most once in 1,000")
    yield "case-number-text", says("At least 99% are right"), says("At least 99.9% are right")
    yield "case-number-text", says("With 99% confidence"), says("At 95% confidence, over 4 functions")
    prose = numbered(evidence={"rests_on": "", "url": "a.pdf"})[0]
    yield "case-number-unmeasured", prose, numbered()[0]
    hourly = number(per="hour")
    yield "case-exposure", two_levels(hourly, number()), two_levels(hourly, number(), block="calculation")
    yield "case-level-weaker", two_levels(number(level=0.99), number()), two_levels(number(), number())
    yield "case-limit-weaker", two_levels(number(), number(1e-2)), two_levels(number(), number(1e-4))
    asked = {"targets": {"rare": Target(at_most=1e-3)}}
    yield "case-target-unclaimed", NEVER, numbered()[0], asked, asked
    yield "case-fragment-unattached", NEVER, NEVER, asked | {"unattached": ("@target rare", "@component eye")}, {}
    yield "case-target-weaker", numbered(at_most=1e-2)[0], numbered()[0], asked, asked


def reviewed(sha256="1" * 64, **changes):
    """A review as a document without numbers."""
    document = {"path": "review.md", "url": None, "sha256": sha256, "title": "Review of labels", "id": ""}
    said = {"document": document, "kind": "review", "state": "accepted", "by": "A. Berg", "date": "2026-05-01"}
    made = Provenance("step.document", said | changes, data={"file of document path": "1" * 64})
    return {"evidence": {"review": Evidence((), provenance=made)}}


def measured():
    fine = numbered()
    yield "case-evidence-unreferenced", small(paper(url="")), small(paper())
    yield "case-evidence-missing", fine[0], fine[0], {"evidence": {}}, fine[1]
    stale = numbered(evidence={"digest": "0" * 64})
    fresh = numbered(evidence={"digest": fine[1]["evidence"][REFERENCE].digest})
    yield "case-evidence-stale", stale[0], fresh[0], stale[1], fresh[1]
    resting = small(paper(url="", rests_on="review"))
    yield "case-document-draft", resting, resting, reviewed(state="reviewed"), reviewed()
    yield "case-document-anonymous", resting, resting, reviewed(by=""), reviewed()
    yield "case-document-unpinned", resting, resting, reviewed(sha256=""), reviewed()
    yield "case-document-stale", resting, resting, reviewed(sha256="0" * 64), reviewed()
    other = small(paper(url="", rests_on="review", digest="0" * 64))
    yield "case-document-stale", other, resting, reviewed(), reviewed()
    yield _pair("case-quantity-differs", numbered(quantity="delay"), fine)
    yield _pair("case-unit-differs", numbered(at_most=1e-3, per="hour"), fine)
    yield _pair("case-confidence-unstated", numbered(plain()), fine)
    guessed = plain(bounds=(upper(6e-4, "heuristic"),))
    kinds = ("confidence", "heuristic")
    yield _pair("case-bound-kind", numbered(guessed), numbered(guessed, kinds=kinds))
    yield _pair("case-bound-heuristic", numbered(guessed, kinds=kinds), fine)
    yield _pair("case-claim-contradicted", numbered(at_most=1e-6), fine)
    yield _pair("case-claim-unshown", numbered(at_most=5e-4), fine)
    yield _pair("case-claim-unshown", numbered(strict_level=0.9999), numbered(strict_level=0.96))
    yield _pair("case-claim-weaker", numbered(at_most=1e-2), fine)


def assumptions():
    stated = side(**ONE_SIDE)
    yield "case-assumption-contradicted", stated, stated, measured_with("contradicted"), measured_with("supported")
    yield "case-assumption-unknown", stated, stated, measured_with("supported", "other"), measured_with("supported")
    yield "case-assumption-unchecked", stated, stated, measured_with(), measured_with("supported")
    yield "case-assumption-unchecked", side(), side(stated=BY_HAND)
    held = numbered()[0]
    told = held.with_nodes([replace(held["rare"], in_context_of=("A1",)), Node("A1", "side-claim", "So", **ONE_SIDE)])
    yield "case-assumption-unstated", held, told, measured_with("supported"), measured_with("supported")
    yield "case-opinion-anonymous", small(leaf(stated=replace(BY_HAND, by=""))), small(leaf(stated=BY_HAND))


def _pair(code, bad, mended):
    return code, bad[0], mended[0], bad[1], mended[1]


def _whole(code, bad, mended, given=None, after=None):
    return code, bad, mended, given or {}, after or {}


EXAMPLES = [
    _whole(*each) for part in (structure, words, modules, patterns, numbers, measured, assumptions) for each in part()
]
