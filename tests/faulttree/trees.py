"""Random fault trees for property tests; ``tests.faulttree.brute_force`` knows the truth about them."""

from hypothesis import strategies as st

from surefoot.faulttree import FaultTree, Fixed, Formula

COHERENT = ("pass", "and", "or", "atleast", "inhibit", "pand")
NON_COHERENT = ("not", "xor", "nand", "nor", "iff", "imply", "cardinality")
KINDS = COHERENT + NON_COHERENT
FEWEST_AND_MOST = {"pass": (1, 1), "not": (1, 1), "iff": (2, 2), "imply": (2, 2), "inhibit": (2, 2), "pand": (2, 3)}


@st.composite
def formulas(draw, names, *, kinds=COHERENT, deepest=1, constants=True):
    """A formula over some of the names, with others inside it."""
    known = st.sampled_from(names)
    leaf = known | st.booleans() if constants and draw(st.integers(0, 9)) == 0 else known
    inner = formulas(names, kinds=kinds, deepest=deepest - 1, constants=constants)
    inputs = st.one_of(leaf, leaf, leaf, inner) if deepest else leaf
    kind = draw(st.sampled_from(kinds))
    low, high = FEWEST_AND_MOST.get(kind, (2, 4))
    found = tuple(draw(st.lists(inputs, min_size=low, max_size=high)))
    return Formula(kind, found, **draw(limits(kind, len(found))))


def limits(kind, count):
    """The numbers of a counting gate."""
    if kind == "atleast":
        return st.fixed_dictionaries({"minimum": st.integers(1, count)})
    if kind == "cardinality":
        pairs = st.tuples(st.integers(0, count), st.integers(0, count))
        return pairs.map(lambda pair: {"minimum": min(pair), "maximum": max(pair)})
    return st.just({})


probabilities = st.floats(0.001, 0.999) | st.sampled_from([0.0, 1e-9, 0.5, 1.0])


@st.composite
def fault_trees(
    draw,
    *,
    events=(1, 8),
    gates=(1, 6),
    coherent=False,
    houses=True,
    constants=True,
    nested=True,
    quantities=None,
):
    """A fault tree whose gates share events and each other; every gate leads to the top event.

    ``events`` and ``gates`` are the fewest and the most; ``quantities`` is a strategy for what is known of an event.
    """
    basic = [f"e{i}" for i in range(1, draw(st.integers(*events)) + 1)]
    house = {f"h{i}": draw(st.booleans()) for i in range(1, draw(st.integers(0, 2 if houses else 0)) + 1)}
    kinds = COHERENT if coherent else COHERENT + NON_COHERENT
    options = {"kinds": kinds, "deepest": 1 if nested else 0, "constants": constants}
    found, known, loose = {}, [*basic, *house], []
    for index in range(1, draw(st.integers(*gates)) + 1):
        formula = draw(formulas(known, **options))
        found[f"g{index}"] = formula
        loose = [gate for gate in loose if gate not in set(formula.names())] + [f"g{index}"]
        known.append(f"g{index}")
    if len(loose) > 1:
        found["top"] = Formula(draw(st.sampled_from(("and", "or"))), tuple(loose))
    known_of = quantities if quantities is not None else probabilities.map(Fixed)
    return FaultTree(list(found)[-1], found, {name: draw(known_of) for name in basic}, house)
