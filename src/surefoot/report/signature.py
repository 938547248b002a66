"""The page that somebody signs: what is claimed, what it rests on, and what each number would be otherwise."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from surefoot.case.change.snapshot import case_digest
from surefoot.case.evaluation import CHECKS_WORST_FIRST
from surefoot.case.templates.builder import goal_id
from surefoot.case.wording import on_stated
from surefoot.core import Assumption, Check, InvalidInput, validate
from surefoot.project.result import Answer, Result
from surefoot.report.page_data import Outside
from surefoot.report.sensitivity import Consequence, without_assumption
from surefoot.report.wording import STATUS_WORDS, check_words, counting_bound, level_words, reason, rounded

AGAINST = "contradicted"
GROUP = 8
SHORT = 16
SIGNERS = 2
VERIFY = "surefoot assess PROJECT --verify report.html"
SEAL = "surefoot case seal PROJECT --by NAME"


@dataclass(frozen=True)
class Signed:
    """A claim that holds, with its number."""

    name: str
    claim: str
    number: str
    level: str
    asked: str
    reference: str
    digest: str
    """Of the result behind it, the first digits in groups."""
    beside: str
    """What the case says of it where it does not stand there."""


@dataclass(frozen=True)
class NotSigned:
    """A target of which nothing is claimed."""

    name: str
    claim: str
    status: str
    word: str
    why: str


@dataclass(frozen=True)
class Supposition:
    """What some of the numbers would be if an assumption were false."""

    names: tuple[str, ...]
    found: Consequence


@dataclass(frozen=True)
class AssumptionUse:
    """An assumption that signed numbers rest on."""

    id: str
    text: str
    status: str
    checked: str
    """How it was looked at; empty where nobody did."""
    answered: str
    """Who answers for it; empty where nobody says so."""
    suppositions: tuple[Supposition, ...]


@dataclass(frozen=True)
class Signature:
    """All that stands on the page."""

    signed: tuple[Signed, ...]
    not_signed: tuple[NotSigned, ...]
    assumptions: tuple[AssumptionUse, ...]
    digests: tuple[tuple[str, str], ...]
    """Names and digests, in groups that can be compared by eye."""
    top: tuple[str, str]
    """The claim at the top of the case and how it stands; empty where there is none."""
    verify: str = VERIFY
    seal: str = SEAL
    signers: range = range(SIGNERS)

    @property
    def signed_alike(self) -> list[list[Signed]]:
        """Claims that rest on the same number together, for a page with very many."""
        groups: dict[tuple[str, ...], list[Signed]] = {}
        for each in self.signed:
            groups.setdefault((each.number, each.level, each.reference, each.digest), []).append(each)
        return list(groups.values())

    @property
    def not_signed_alike(self) -> list[tuple[str, list[NotSigned]]]:
        """Targets of which nothing is claimed by what they are, for the same."""
        groups: dict[str, list[NotSigned]] = {}
        for each in self.not_signed:
            groups.setdefault(each.word, []).append(each)
        return list(groups.items())

    @property
    def many(self) -> bool:
        """Whether it must be said which number is meant."""
        return len({name for each in self.assumptions for told in each.suppositions for name in told.names}) > 1


@validate.arguments
def signature(result: Result, outside: Outside | None = None) -> Signature:
    """What there is to sign of a result: the claims that hold, and what they rest on.

    Parameters
    ----------
    result
        What ``surefoot.run`` gave.
    outside
        What a page tells of it, where its data are not whole.

    Returns
    -------
    Signature
        Claims with their numbers, assumptions with what would be left without them, and digests.

    See Also
    --------
    write : Writes it to a file, with an example of a whole result.

    """
    held = [answer for answer in result.answers if answer.status == "met" and _standing(result, answer) != AGAINST]
    return Signature(
        tuple(_signed(result, answer) for answer in held),
        tuple(_not_signed(result, answer) for answer in result.answers if answer not in held),
        tuple(_assumption_uses(result, held or result.answers)),
        tuple(_digests(result, outside or Outside.of(result))),
        _top(result),
    )


def grouped(digest: str) -> str:
    """A digest in groups that can be compared by eye.

    >>> grouped("0123456789abcdef01")
    '01234567 89abcdef 01'
    """
    return " ".join(digest[start : start + GROUP] for start in range(0, len(digest), GROUP))


def _standing(result: Result, answer: Answer) -> str:
    """How the claim of a target stands in the case; empty where it has none there."""
    assessed = result.evaluation.nodes.get(goal_id(answer.name))
    return assessed.standing if assessed else ""


def _signed(result: Result, answer: Answer) -> Signed:
    bound = counting_bound(answer)
    number = f"{'at most' if bound.side == 'upper' else 'at least'} {rounded(bound)}" if bound else "no bound"
    standing = _standing(result, answer)
    return Signed(
        answer.name,
        answer.claim,
        f"{number} {answer.estimate.unit}",
        ". ".join(filter(None, (level_words(bound, answer.estimate) if bound else "", on_stated(answer.estimate)))),
        str(answer.target),
        answer.reference,
        grouped(_measured(result, answer)[:SHORT]),
        "" if standing in ("supported", "") else f"In the case it is {standing}.",
    )


def _measured(result: Result, answer: Answer) -> str:
    """The digest of what was measured; the answer's own estimate may carry a caveat on top."""
    try:
        return result[answer.reference].digest
    except InvalidInput:
        return answer.estimate.digest


def _not_signed(result: Result, answer: Answer) -> NotSigned:
    if answer.status == "met":
        why = result.evaluation.nodes[goal_id(answer.name)].why
        return NotSigned(answer.name, answer.claim, "violated", "Contradicted in the case", why)
    return NotSigned(answer.name, answer.claim, answer.status, STATUS_WORDS[answer.status], reason(answer))


def _assumption_uses(result: Result, answers: Sequence[Answer]) -> Iterator[AssumptionUse]:
    """Every assumption once, the doubtful ones first."""
    groups: dict[tuple[str, str], list[tuple[Answer, Assumption]]] = {}
    for answer in answers:
        for assumption in answer.estimate.assumptions:
            groups.setdefault((assumption.id, assumption.text), []).append((answer, assumption))
    found = [_assumption_use(result, users) for users in groups.values()]
    yield from sorted(found, key=lambda each: CHECKS_WORST_FIRST.index(each.status))


def _assumption_use(result: Result, users: Sequence[tuple[Answer, Assumption]]) -> AssumptionUse:
    worst = min((assumption for _, assumption in users), key=lambda each: CHECKS_WORST_FIRST.index(each.status))
    by_finding: dict[Consequence, dict[str, None]] = {}
    for answer, assumption in users:
        by_finding.setdefault(without_assumption(result, answer, assumption), {})[answer.name] = None
    return AssumptionUse(
        worst.id,
        worst.text,
        worst.status,
        _looked_at(worst.check),
        str(worst.answer) if worst.answer else _answered(result, worst.id),
        tuple(Supposition(tuple(names), found) for found, names in by_finding.items()),
    )


def _looked_at(check: Check | None) -> str:
    if check is None:
        return ""
    return f"Looked at: {'. '.join([check.method, *check_words(check)])}."


def _answered(result: Result, identity: str) -> str:
    """Who answers for an assumption, as the case says."""
    stated = (node.stated for node in result.case if node.assumption.partition("[")[0] == identity)
    found = next((each for each in stated if each and each.by), None)
    return "" if found is None else ": ".join(filter(None, (found.by, found.why)))


def _digests(result: Result, outside: Outside) -> Iterator[tuple[str, str]]:
    yield "result", grouped(outside.digest)
    yield "case", grouped(case_digest(result.case))
    names: dict[str, list[str]] = {}
    for name, digest in result.digests.items():
        names.setdefault(digest, []).append(name)
    for digest, same in names.items():
        yield ", ".join(same), grouped(digest)


def _top(result: Result) -> tuple[str, str]:
    if not result.case.tops:
        return "", ""
    return result.case.top.text, result.evaluation.top.standing
