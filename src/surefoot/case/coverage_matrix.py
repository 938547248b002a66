"""Coverage of standards: for each clause or artefact the claims and evidence of a case that are tagged with it.

A row says where nodes belong and how they stand. It does not say that a standard is fulfilled: nobody but an assessor
can say whether what belongs to a clause is all that the clause asks for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from surefoot.case.evaluation import Evaluation, for_the_case
from surefoot.case.model import Case, Node
from surefoot.case.parts import parts_of
from surefoot.case.standards import STANDARDS, UNCONFIRMED, Clause, Standard, clause_of_or_none, standards_named
from surefoot.core import DiagnosticsError, Table, validate
from surefoot.documents import write_whole

State = Literal["gap", "open", "shown"]
STATES: tuple[State, ...] = get_args(State)
TABLES = (".csv", ".md")
COLUMNS = ("state", "standard", "reference", "title", "claims", "evidence")


@dataclass(frozen=True)
class Coverage:
    """A clause or artefact, and what a case has on it.

    Parameters
    ----------
    standard, reference, title, confirmed
        Which one, and whether its title was confirmed.
    claims
        Ids of all nodes that carry it or a part of it, but evidence.
    evidence
        Ids of evidence that carries it, or that these claims rest on through arguments alone.
    state
        ``gap`` where no node carries it, ``shown`` where all that carry it are supported (contexts and justifications,
        which are taken as given, do not count), ``open`` otherwise.

    See Also
    --------
    coverage : Makes them.

    """

    standard: str
    reference: str
    title: str
    confirmed: bool
    claims: tuple[str, ...]
    evidence: tuple[str, ...]
    state: State

    @property
    def shown_title(self) -> str:
        """The title, marked where nobody confirmed it."""
        return self.title if self.confirmed else f"{self.title} {UNCONFIRMED}".strip()


@validate.arguments
def coverage(case: Case, evaluation: Evaluation | None = None, standard: str | None = None) -> tuple[Coverage, ...]:
    """Each clause and artefact of a standard with the nodes that carry it, gaps first.

    Parameters
    ----------
    case
        Nodes carry clauses in their tags.
    evaluation
        How nodes stand; without it the case is evaluated without evidence.
    standard
        A name, such as ``AMLAS`` or ``ISO 26262``, which is all its parts; None for all that nodes are tagged with.

    Returns
    -------
    tuple of Coverage
        Gaps, then what is open, then what is shown, each in the order of the standards. What is there for form (scope,
        definitions) and activities of AMLAS are no rows: their artefacts are.

    Examples
    --------
    >>> from surefoot.case import Case, Node, coverage
    >>> case = Case.of([Node("C1", "claim", "It stops", undeveloped=True, tags=("AMLAS: artefact H",))])
    >>> rows = coverage(case, standard="AMLAS")
    >>> len(rows), rows[0].reference, rows[0].state, [row.reference for row in rows if row.state == "open"]
    (40, 'stage 1', 'gap', ['stage 2', 'artefact H'])

    """
    found = evaluation or case.evaluate()
    carried = _carried(case)
    wanted = standards_named(standard) if standard is not None else _tagged_with(carried)
    rows = [_row(case, found, clause, carried) for each in wanted for clause in _clauses(each, carried)]
    return tuple(sorted(rows, key=lambda row: STATES.index(row.state)))


@validate.arguments
def coverage_table(rows: Iterable[Coverage], *, most: int | None = None) -> Table:
    """The rows as a table for reports, the terminal and CSV.

    Parameters
    ----------
    rows
        From ``coverage``.
    most
        Ids shown in one cell; None for all.

    Returns
    -------
    Table
        State, standard, reference, title (marked where it is not confirmed), ids of claims and of evidence.

    Examples
    --------
    >>> from surefoot.case import Case, Node, coverage, coverage_table
    >>> case = Case.of([Node("C1", "claim", "It stops", undeveloped=True, tags=("UL 4600: section 12",))])
    >>> table = coverage_table(coverage(case))
    >>> [row for row in table.rows if row[0] == "open"]
    [('open', 'UL 4600', 'section 12', 'Verification, validation and test (unconfirmed)', 'C1', '')]

    """
    cells = (
        (row.state, row.standard, row.reference, row.shown_title, _ids(row.claims, most), _ids(row.evidence, most))
        for row in _rows(rows)
    )
    return Table(COLUMNS, tuple(cells))


def _rows(given: Iterable[Coverage]) -> Iterator[Coverage]:
    return (validate.kind(row, Coverage, where="coverage", name="a row", example="coverage(case)[0]") for row in given)


@validate.arguments
def coverage_line(rows: Sequence[Coverage]) -> str:
    """How many there are of each state, in a line.

    Parameters
    ----------
    rows
        From ``coverage``.

    Returns
    -------
    str
        Such as ``AMLAS: 3 of 40 are gaps, 30 open, 7 shown``, for each standard.

    Examples
    --------
    >>> from surefoot.case import Case, Node, coverage, coverage_line
    >>> case = Case.of([Node("C1", "claim", "It stops", undeveloped=True, tags=("AMLAS: artefact H",))])
    >>> coverage_line(coverage(case))
    'AMLAS: 38 of 40 are gaps, 2 open, 0 shown.'

    """
    counts: dict[str, dict[State, int]] = {}
    for row in _rows(rows):
        counts.setdefault(row.standard, dict.fromkeys(STATES, 0))[row.state] += 1
    said = (
        f"{name}: {of['gap']} of {sum(of.values())} are gaps, {of['open']} open, {of['shown']} shown"
        for name, of in sorted(counts.items(), key=lambda item: tuple(STANDARDS).index(item[0]))
    )
    return f"{'; '.join(said)}." if counts else "No node is tagged with a clause of a standard."


def write_coverage(rows: Iterable[Coverage], path: Path) -> Path:
    """Write the whole table as .csv or .md; a file is complete, or as it was."""
    check_ending(path)
    table = coverage_table(rows)
    if path.suffix.lower() == ".csv":
        from surefoot.documents import csv

        csv.write(path, table.columns, table.rows)
    else:
        from surefoot.case.formats.markdown_mermaid import plain

        lines = (table.columns, ["---"] * len(COLUMNS), *([plain(cell) for cell in row] for row in table.rows))
        write_whole(path, "".join(f"| {' | '.join(line)} |\n" for line in lines))
    return path


def check_ending(path: Path) -> None:
    """Refuse endings that no table is written as."""
    if path.suffix.lower() not in TABLES:
        text = f"no table is written as {path.suffix or 'a file without an ending'}."
        raise DiagnosticsError.of("wrong-value", text, where=str(path), hint=f"Use {' or '.join(TABLES)}.")


def _ids(ids: Sequence[str], most: int | None) -> str:
    shown = ", ".join(ids[:most])
    return f"{shown} and {len(ids) - most} more" if most is not None and len(ids) > most else shown


def _carried(case: Case) -> dict[tuple[str, str], tuple[Clause, list[Node]]]:
    """For each clause that a node carries, itself or a part of it, these nodes in the order of the case."""
    found: dict[tuple[str, str], tuple[Clause, list[Node]]] = {}
    for node in case:
        clauses = (clause for tag in node.tags if (clause := clause_of_or_none(tag)) is not None)
        every = {(each.standard, each.reference): each for clause in clauses for each in parts_of(clause)}
        for key, clause in every.items():
            found.setdefault(key, (clause, []))[1].append(node)
    return found


def _tagged_with(carried: Mapping[tuple[str, str], object]) -> tuple[Standard, ...]:
    names = {name for name, _ in carried}
    return tuple(each for each in STANDARDS.values() if each.name in names)


def _clauses(standard: Standard, carried: Mapping[tuple[str, str], tuple[Clause, list[Node]]]) -> Iterator[Clause]:
    """What is listed, then what nodes carry besides."""
    for clause in standard.clauses:
        if not (clause.formal or clause.reference.startswith("activity ")):
            yield clause
    for (name, reference), (clause, _) in carried.items():
        if name == standard.name and (reference not in standard or clause.formal):
            yield clause


def _row(
    case: Case,
    evaluation: Evaluation,
    clause: Clause,
    carried: Mapping[tuple[str, str], tuple[Clause, list[Node]]],
) -> Coverage:
    _, nodes = carried.get((clause.standard, clause.reference), (clause, []))
    claims = tuple(node.id for node in nodes if node.kind != "evidence")
    evidence = dict.fromkeys(node.id for node in nodes if node.kind == "evidence")
    evidence |= dict.fromkeys(_evidence_below(case, claims))
    state = _state(case, evaluation, nodes)
    return Coverage(clause.standard, clause.reference, clause.title, clause.confirmed, claims, tuple(evidence), state)


def _state(case: Case, evaluation: Evaluation, nodes: Sequence[Node]) -> State:
    if not nodes:
        return "gap"
    judged = [node for node in nodes if for_the_case(case, node, evaluation.nodes.get(node.id)) is not None]
    good = all(_good(case, evaluation, node) for node in judged)
    return "shown" if judged and good and not any(node.uninstantiated for node in nodes) else "open"


def _good(case: Case, evaluation: Evaluation, node: Node) -> bool:
    """Whether it stands as the case needs it; what speaks against doubts alone is to be supported."""
    against = [case.nodes[each] for each in node.challenges if each in case.nodes]
    wanted = "supported" if all(each.kind == "defeater" for each in against) else "contradicted"
    return evaluation[node.id].standing == wanted


def _evidence_below(case: Case, starts: Iterable[str]) -> Iterator[str]:
    """Evidence that claims rest on through arguments alone, in the order in which it is met."""
    seen = set(starts)
    waiting = list(reversed(list(starts)))
    while waiting:
        for identity in case[waiting.pop()].supported_by:
            node = case.nodes.get(identity)
            if node is not None and identity not in seen and node.kind in ("argument", "evidence"):
                seen.add(identity)
                if node.kind == "evidence":
                    yield identity
                else:
                    waiting.append(identity)
