"""Draw the pictures of docs/hazards.md from examples/inspection_vehicle, beside this file."""

from pathlib import Path

from surefoot.hazards import Hazop, Scenarios

HERE = Path(__file__).parent
EXAMPLE = HERE.parents[1] / "examples" / "inspection_vehicle"
TOP = "safe distance is lost"


def main() -> None:
    """Write the system with its flows, and the fault tree of the chains."""
    hazop = Hazop.read(EXAMPLE / "hazop.yaml")
    (HERE / "hazards_system.svg").write_text(hazop.draw(), encoding="utf-8")
    tree = Scenarios.read(EXAMPLE / "scenarios.yaml").fault_tree(TOP)
    (HERE / "hazards_tree.svg").write_text(tree.draw(width=900.0), encoding="utf-8")


if __name__ == "__main__":
    main()
