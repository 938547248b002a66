"""What labels are counted by: failure criterion, strata of operation, tallies, and the sheet to fill in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.bounds.operational_risk import checked_shares
from surefoot.core import Diagnostic, DiagnosticsError, InvalidInput, validate
from surefoot.core.validate import FloatArray
from surefoot.documents import Findings, Headings, Kind, csv, read_text

if TYPE_CHECKING:
    from surefoot.hazards.labels.label_plan import PlannedRow

CHUNK = 1 << 16
PROBABILITY = "probability"
BINS = 3
TAPER = 0.25
"""Each stratum has a quarter of all rows that are at most as sure; chosen by measurement (docs/labels.md)."""
COLUMNS = ("component", "data set", "digest", "row", "id", "answer", "score", "stratum", "share", "same as", "label")
NEEDED = ("component", "digest", "row", "label")
DIGEST_LENGTH = 12
UNKNOWN = "?"
"""In place of a label: nobody can tell. Such a row counts as a failure."""
MOST_NAMED = 20
_KIND = Kind("data-unreadable", cell="data-column", heading="data-column")
_HEADINGS = Headings({name: name for name in COLUMNS}, NEEDED, others=True)


@dataclass(frozen=True)
class FailureCriterion:
    """Which answers are failures that count.

    Parameters
    ----------
    classes
        In the order of the scores.
    of
        The only true class that counts; None for all.
    undesired
        By true class the answers that are failures; a class without any counts every wrong one.

    Examples
    --------
    >>> FailureCriterion(("owl", "cat"), of="owl").table
    array([[False,  True],
           [False, False]])

    """

    classes: tuple[str, ...]
    of: str | None = None
    undesired: Mapping[str, Sequence[str]] | None = None

    @cached_property
    def table(self) -> NDArray[np.bool_]:
        """For each true class and each answer, whether the answer is a failure that counts."""
        wrong = ~np.eye(len(self.classes), dtype=bool)
        for name, answers in (self.undesired or {}).items():
            wrong[self._number(name)] = False
            wrong[self._number(name), [self._number(answer) for answer in answers]] = True
        return wrong & self.counted[:, None]

    @cached_property
    def counted(self) -> NDArray[np.bool_]:
        """Whether rows of each true class count."""
        return np.array([self.of in (None, name) for name in self.classes])

    def suspicion(self, scores: NDArray[Any], output: str) -> FloatArray:
        """How much the model itself doubts each answer; only the order of the numbers means something.

        Of probabilities: the probability that the answer is a failure that counts. Of other scores: by how much the
        best true class for which the answer would be a failure falls behind the answer.
        """
        if output == PROBABILITY:
            return self.predicted(scores)[0]
        return np.concatenate([self._shortfalls(part) for part in _parts(scores)])

    def predicted(self, scores: NDArray[Any]) -> tuple[FloatArray, FloatArray]:
        """Probabilities that each row counts and fails, and that it counts, as the model sees it."""
        pairs = [self._probabilities(part) for part in _parts(scores)]
        failing, counting = zip(*pairs, strict=True)
        return np.concatenate(failing), np.concatenate(counting)

    def _probabilities(self, part: FloatArray) -> tuple[FloatArray, FloatArray]:
        failing = np.einsum("ij,ij->i", part, self.table.T[part.argmax(axis=1)].astype(float))
        return np.clip(failing, 0, 1), np.clip(part @ self.counted.astype(float), 0, 1)

    def _shortfalls(self, part: FloatArray) -> FloatArray:
        behind = part - part.max(axis=1, keepdims=True)
        return np.asarray(np.where(self.table.T[part.argmax(axis=1)], behind, -np.inf).max(axis=1))

    def _number(self, name: str) -> int:
        return self.classes.index(validate.choice(name, self.classes, where="failures", name="class"))


def _parts(scores: NDArray[Any]) -> Iterator[FloatArray]:
    for start in range(0, len(scores), CHUNK):
        yield np.asarray(scores[start : start + CHUNK], dtype=float)


@dataclass(frozen=True)
class RiskStrata:
    """Strata of operation by what the model says of each input, from the most doubtful to the surest.

    Parameters
    ----------
    edges
        They fall; a row at an edge is above it.

    Examples
    --------
    >>> import numpy as np
    >>> strata = RiskStrata.of(np.linspace(0, 1, 100), bins=2)
    >>> np.bincount(strata.assign(np.linspace(0, 1, 100)))
    array([25, 75])

    """

    edges: tuple[float, ...]

    @classmethod
    def of(cls, suspicion: FloatArray, bins: int = BINS) -> RiskStrata:
        """Edges from operational rows: the most doubtful strata are the smallest, and none is empty.

        Ties are never split: where many rows are equally doubtful, there are fewer strata.
        """
        bins = validate.count(bins, where="RiskStrata", name="bins", at_least=1)
        falling = np.sort(suspicion)[::-1]
        shares = TAPER ** np.arange(bins - 1, 0, -1)
        places = np.ceil(falling.size * shares).astype(int) - 1
        edges = np.unique(falling[places])[::-1] if bins > 1 else np.empty(0)
        return cls(tuple(edges[edges > falling[-1]].tolist()))

    @property
    def names(self) -> tuple[str, ...]:
        """Numbers, with words for the ends."""
        size = len(self.edges) + 1
        if size == 1:
            return ("all",)
        return ("1 (most doubtful)", *map(str, range(2, size)), f"{size} (surest)")

    def assign(self, suspicion: FloatArray) -> NDArray[np.intp]:
        """The number of each row's stratum."""
        rising = np.asarray(self.edges[::-1])
        return np.asarray(rising.size - np.searchsorted(rising, suspicion, side="right"), dtype=np.intp)


@dataclass(frozen=True, eq=False)
class Tally:
    """Labelled rows of each stratum, how many of them count and how many failed, and the stratum's share of operation.

    All rows count unless the risk is that of one true class: then only rows of that class do. Counts need not be whole:
    a plan counts on expected failures.

    Parameters
    ----------
    names, shares
        The strata, and their shares of operation.
    trials, counted, failures
        Labelled rows of each stratum, those that count, and those that failed.
    seen
        The number of operational rows that the shares come from; None where they are known.
    unknown
        Of the failures, rows that nobody could label: failures here, passes where the risk is bounded from below.

    Examples
    --------
    >>> import numpy as np
    >>> failed = np.array([True, False, False, False])
    >>> tally = Tally.of(("doubtful", "sure"), (0.2, 0.8), np.array([0, 0, 1, 1]), failed)
    >>> tally.risk
    0.1

    """

    names: tuple[str, ...]
    shares: FloatArray
    trials: FloatArray
    counted: FloatArray
    failures: FloatArray
    seen: int | None = None
    unknown: FloatArray | float = 0.0

    def __post_init__(self) -> None:
        checked_shares(self.shares, where="Tally")
        columns = (self.shares, self.trials, self.counted, self.failures)
        validate.same_length("Tally", names=np.asarray(self.names), **dict(zip("abcd", columns, strict=True)))
        if not ((self.failures >= 0) & (self.failures <= self.counted) & (self.counted <= self.trials)).all():
            raise InvalidInput("failures must be among rows that count, and these among all rows", where="Tally")
        if not ((self.unknown >= np.zeros(1)) & (self.unknown <= self.failures)).all():
            raise InvalidInput("rows that nobody could label must be among the failures", where="Tally")

    @classmethod
    def of(
        cls,
        names: tuple[str, ...],
        shares: ArrayLike,
        stratum: NDArray[np.intp],
        failed: NDArray[np.bool_],
        *,
        counted: NDArray[np.bool_] | None = None,
        seen: int | None = None,
        unknown: NDArray[np.bool_] | None = None,
    ) -> Self:
        """Count labelled rows: the number of the stratum of each, whether it counts, failed, and is unknown."""
        size = len(names)
        among = np.ones(stratum.size, bool) if counted is None else counted
        doubtful = np.zeros(stratum.size, bool) if unknown is None else unknown
        trials, hits, misses, unsure = (
            np.bincount(stratum[rows], minlength=size).astype(float)
            for rows in (np.ones_like(among), among, among & failed, among & failed & doubtful)
        )
        return cls(names, np.asarray(shares, dtype=float), trials, hits, misses, seen, unsure)

    @property
    def conditional(self) -> bool:
        """Whether only some of the rows count."""
        return bool((self.counted < self.trials).any())

    @property
    def untested(self) -> tuple[str, ...]:
        """Strata without a labelled row: nothing is known of them, so that they count as failing."""
        return tuple(name for name, trials in zip(self.names, self.trials, strict=True) if not trials)

    @property
    def risk(self) -> float:
        """The failure probability in operation as observed."""
        failing, passing = self.rates
        return failing / (failing + passing) if failing else 0.0

    @property
    def rates(self) -> tuple[float, float]:
        """Shares of operation that count and fail, and that count and do not."""
        known = np.where(self.trials > 0, self.trials, 1)
        failing = np.where(self.trials > 0, self.failures / known, 1.0)
        passing = (self.counted - self.failures) / known
        return float(self.shares @ failing), float(self.shares @ passing)

    def turned(self) -> Tally:
        """The same with passes in place of failures, what nobody could label among them."""
        passes = self.counted - self.failures + self.unknown
        return Tally(self.names, self.shares, self.trials, self.counted, passes, self.seen)

    def with_labels(self, added: FloatArray, failing: FloatArray, counting: FloatArray) -> Tally:
        """The tally that is expected after more labels, of which these shares fail and count."""
        return Tally(
            self.names,
            self.shares,
            self.trials + added,
            self.counted + added * counting,
            self.failures + added * failing,
            self.seen,
            self.unknown,
        )


def write_sheet(rows: Iterable[PlannedRow], path: str | Path) -> None:
    """Write the rows to label as CSV in which no cell is a formula; the column ``label`` is empty.

    Parameters
    ----------
    rows
        Of a plan.
    path
        The file.

    Returns
    -------
    None

    See Also
    --------
    LabelPlan.write, read_labels

    """
    csv.write(Path(path), COLUMNS, map(_cells, rows))


def _cells(row: PlannedRow) -> tuple[str, ...]:
    same = "" if row.same_as is None else str(row.same_as)
    known = (row.component, row.data, row.digest[:DIGEST_LENGTH], str(row.row), row.identifier, row.answer)
    return (*known, f"{row.score:.6g}", row.stratum, shown_share(row.share), same, "")


def shown_share(share: float) -> str:
    """A share of operation as the sheet has it."""
    return f"{share:.6g}"


def read_labels(path: str | Path) -> list[Labelled]:
    r"""The labels of a filled sheet.

    Every row needs a label, because leaving out those that are hard to label would make the rest too good; ``?`` stands
    for a row that nobody can label. A row that is the ``same as`` another one may take its label.

    Parameters
    ----------
    path
        The CSV file.

    Returns
    -------
    list of Labelled
        One a row.

    Raises
    ------
    DiagnosticsError
        Everything that is wrong with the sheet.

    Examples
    --------
    >>> from tempfile import NamedTemporaryFile
    >>> with NamedTemporaryFile("w", suffix=".csv") as file:
    ...     _ = file.write("component,digest,row,label\ngrader,ab12,7,owl\n")
    ...     file.flush()
    ...     [(each.row, each.label) for each in read_labels(file.name)]
    [(7, 'owl')]

    """
    place = Path(path)
    entries = _entries(place)
    given = {_key(entry): entry["label"] for _, entry in entries}
    problems: list[Diagnostic] = []
    seen: dict[tuple[str, ...], int] = {}
    found = []
    for line, entry in entries:
        label = entry["label"] or given.get((*_key(entry)[:2], entry.get("same as", "")), "")
        problem = _problem(entry, label, seen.setdefault(_key(entry), line), line)
        if problem:
            problems.append(Diagnostic("data-column", problem, "error", f"{place.name}:{line}"))
        else:
            known = None if label == UNKNOWN else label
            drawn = entry.get("stratum", ""), entry.get("share", "")
            found.append(Labelled(entry["component"], entry["digest"], int(entry["row"]), known, line, *drawn))
    DiagnosticsError.raise_if_any(_shortened(problems, place.name))
    return found


@dataclass(frozen=True)
class Labelled:
    """A row of operation with the label it was given.

    Parameters
    ----------
    component, digest, row
        Whose input it is, in which data and where.
    label
        None where nobody can tell.
    line
        Of the sheet.
    stratum, share
        What it was drawn from and that stratum's share of operation, as written; empty where the sheet does not say.

    See Also
    --------
    read_labels

    """

    component: str
    digest: str
    row: int
    label: str | None
    line: int
    stratum: str = ""
    share: str = ""
    """The stratum it was drawn from and its share of operation, as written; empty where the sheet does not say."""

    def drawn_from(self, stratum: str, share: float) -> bool:
        """Whether the sheet agrees, as far as it says, that the row was drawn from this stratum."""
        return self.stratum in ("", stratum) and self.share.replace(",", ".") in ("", shown_share(share))


def _entries(place: Path) -> list[tuple[int, dict[str, str]]]:
    """Lines by the names of their columns; columns that people added are passed over."""
    findings = Findings(place.name, _KIND)
    sheet = csv.read(read_text(place, findings), findings, known=lambda name: name.strip() in COLUMNS, ragged=True)
    nothing = dict.fromkeys(NEEDED, "")
    found = [
        (line.number, nothing | {name: cell.strip() for name, cell in line.values.items()})
        for line in sheet.entries(_HEADINGS, findings)
        if line.values
    ]
    findings.raise_if_any()
    return found


def _key(entry: Mapping[str, str]) -> tuple[str, str, str]:
    return entry["component"], entry["digest"], entry["row"]


def _problem(entry: Mapping[str, str], label: str, first: int, line: int) -> str:
    if not (entry["row"].isascii() and entry["row"].isdigit()):
        return f"{entry['row']!r} is no number of a row."
    if first != line:
        return f"row {entry['row']} is there twice; it was first in line {first}."
    if not label:
        return f"row {entry['row']} has no label; write {UNKNOWN} where nobody can tell, which counts as a failure."
    return ""


def _shortened(problems: list[Diagnostic], name: str) -> list[Diagnostic]:
    more = len(problems) - MOST_NAMED
    if more <= 0:
        return problems
    return [*problems[:MOST_NAMED], Diagnostic("data-column", f"and {more:,} more such rows.", "error", name)]
