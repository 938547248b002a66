"""Draw the pictures of docs/assurance-case.md: ``python docs/images/case.py``."""

from dataclasses import replace
from pathlib import Path

import surefoot as sf
from surefoot.case import Case, Node, Number
from surefoot.core import Assumption, Check

HERE = Path(__file__).parent


def main() -> None:
    """Write case_cae.svg and case_gsn.svg beside this file."""
    independent = Assumption("independent", "Trials are independent.", Check("supported", "runs test"))
    alike = Assumption("drawn-alike", "Approaches were drawn as operation draws them.")
    estimate = sf.bounds.clopper_pearson(14, 3000, level=0.95, quantity="misses")
    measured = {"tests.misses": replace(estimate, assumptions=(independent, alike))}
    for notation in ("cae", "gsn"):
        example().render(HERE / f"case_{notation}.svg", evidence=measured, notation=notation)


def example() -> Case:
    """A claim over two failures of a detector, one of them counted."""
    number = Number("misses", sf.Target(at_most=0.01))
    rests_on = {"rests_on": "tests.misses"}
    return Case.of(
        [
            Node("C1", "claim", "The detector is safe enough for inspections.", ("A1",), ("X1",)),
            Node("X1", "context", "A vehicle under water that inspects assets."),
            Node("A1", "argument", "Over what can go wrong with one answer.", ("C2", "C3"), block="decomposition"),
            Node("C2", "claim", "It misses at most 1% of assets.", ("A2",), number=number),
            Node("A2", "argument", "By counting.", ("E1",), ("S1", "S2"), block="calculation"),
            Node("E1", "evidence", "3,000 approaches, 14 assets missed.", **rests_on),
            Node("S1", "side-claim", "Trials are independent.", **rests_on, assumption="independent"),
            Node(
                "S2",
                "side-claim",
                "Approaches are like those of operation.",
                **rests_on,
                assumption="drawn-alike",
            ),
            Node("C3", "claim", "It sees no assets that are not there.", undeveloped=True),
            Node("D1", "defeater", "Sunlight draws patterns on the sea bed.", challenges=("C3",)),
        ],
        name="Detector",
    )


if __name__ == "__main__":
    main()
