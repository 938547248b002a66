"""Systems as graphs: wiring, order, loops, faults and substitution."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.refusals import told

from surefoot import SurefootError
from surefoot.systems import Answer, Loop, Module, System


def plus(amount):
    return lambda v: [value + amount for value in v]


def total(**inputs):
    return [sum(row) for row in zip(*inputs.values(), strict=True)]


def number(name, run, **inputs):
    return Module(name, run, inputs, gives="number")


def chain(*amounts):
    names = [f"m{i}" for i in range(len(amounts))]
    sources = ["x", *names]
    modules = [number(n, plus(a), v=s) for n, a, s in zip(names, amounts, sources, strict=False)]
    return System(modules, inputs={"x": "number"})


def test_a_chain_passes_values_on():
    trace = chain(1, 10, 100).run({"x": [0.0, 5.0]})
    assert trace.outputs == {"m0": [1, 6], "m1": [11, 16], "m2": [111, 116]}
    assert trace.faults == {}


@given(st.permutations(range(5)), st.lists(st.floats(-10, 10), min_size=1, max_size=4))
@settings(max_examples=15, deadline=None)
def test_the_order_in_which_modules_are_listed_does_not_matter(order, values):
    wired = [number(f"m{i}", plus(i + 1), v="x" if i == 0 else f"m{i - 1}") for i in range(5)]
    system = System([wired[i] for i in order], inputs={"x": "number"}, output="m4")
    assert system.run({"x": values}).outputs["m4"] == [(((((v + 1) + 2) + 3) + 4) + 5) for v in values]


def test_parallel_modules_are_combined():
    modules = [number("a", plus(1), v="x"), number("b", plus(3), v="x"), number("both", total, a="a", b="b")]
    assert System(modules, inputs={"x": "number"}).run({"x": [1.0]}).outputs["both"] == [6.0]


def test_a_loop_runs_as_many_rounds_as_it_states():
    step = number("step", lambda v, s: [a + b for a, b in zip(v, s, strict=True)], v="x", s="keep")
    keep = number("keep", lambda q: list(q), q="step")
    after = number("after", plus(100), v="keep")
    system = System([step, keep, after], inputs={"x": "number"}, loops={"step.s": Loop(4, 0.0)})
    assert system.run({"x": [1.0, 2.0]}).outputs["after"] == [104.0, 108.0]
    assert system.stages == (("step", "keep"), ("after",))


def test_a_loop_may_start_from_the_inputs_of_the_item():
    step = number("step", lambda s: [2 * value for value in s], s="step")
    loops = {"step.s": Loop(3, lambda x: x + 1)}
    assert System([step], inputs={"x": "number"}, loops=loops).run({"x": [0.0, 1.0]}).outputs["step"] == [8.0, 16.0]


def test_a_loop_without_a_bound_is_named_in_full():
    modules = [number("p", total, v="x", s="r"), number("q", plus(0), v="p"), number("r", plus(0), v="q")]
    with pytest.raises(SurefootError, match=r"no stated bound.*p -> q -> r -> p|q -> r -> p -> q|r -> p -> q -> r"):
        System(modules, inputs={"x": "number"})


def test_one_module_may_give_several_things():
    split = Module(
        "split",
        lambda v: {"half": v / 2, "text": [str(x) for x in v]},
        {"v": "x"},
        gives={"half": "number", "text": "text"},
    )
    use = Module("use", lambda t: [t_ + "!" for t_ in t], {"t": "split.text"}, {"t": "text"}, gives="text")
    trace = System([split, use], inputs={"x": "number"}).run({"x": [1.0, 2.0]})
    assert trace.outputs["split.half"] == [0.5, 1.0]
    assert trace.outputs["use"] == ["1.0!", "2.0!"]


def test_a_module_that_raises_on_some_items_loses_only_those():
    for bad in [set(), {3}, {0, 7}, set(range(8))]:
        with told(bad):

            def picky(v, bad=bad):
                wrong = [x for x in v if x in bad]
                if wrong:
                    raise ValueError(f"cannot do {wrong[0]:g}")
                return [2 * x for x in v]

            system = System([number("picky", picky, v="x"), number("next", plus(1), v="picky")], inputs={"x": "number"})
            trace = system.run({"x": [float(i) for i in range(8)]})
            assert set(trace.faults) == bad
            assert trace.outputs["next"] == [None if i in bad else 2 * i + 1 for i in range(8)]
            assert all(trace.faults[i] == ("picky", f"ValueError: cannot do {i}") for i in bad)


def test_an_answer_of_the_wrong_kind_is_a_fault_of_its_item():
    for gives, answer, said in [
        ("number", [1.0, float("nan")], "not finite"),
        ("number", [1.0, "two"], "instead of numbers"),
        ("text", ["one", 2], "instead of a text"),
        ("label", ["one", None], "no answer"),
        ("number", [1.0, np.zeros(3)], "shape"),
        ("any", ["fine", ValueError("not this one")], "not this one"),
    ]:
        with told(gives):
            system = System(
                [Module("m", lambda v, answer=answer: answer, {"v": "x"}, gives=gives)], inputs={"x": "any"}
            )
            trace = system.run({"x": ["a", "b"]})
            assert list(trace.faults) == [1]
            assert said in trace.faults[1].text
            assert trace.outputs["m"] == [answer[0], None]


def test_substituted_outputs_are_used_in_place_of_running():
    calls = []

    def run(v):
        calls.append(len(v))
        return [x + 1 for x in v]

    system = System([number("a", run, v="x"), number("b", plus(10), v="a")], inputs={"x": "number"})
    assert system.run({"x": [0.0]}, substitute={"a": [5.0]}).outputs["b"] == [15.0]
    assert calls == []


def test_noise_reaches_all_modules_or_only_one():
    def noisy(seed, v):
        return [x + 1 for x in v]

    modules = [
        Module("a", plus(0), {"v": "x"}, gives="number", noisy=noisy),
        Module("b", plus(0), {"v": "a"}, gives="number", noisy=noisy),
    ]
    system = System(modules, inputs={"x": "number"})
    assert system.run({"x": [0.0]}).outputs["b"] == [0.0]
    assert system.run({"x": [0.0]}, noise=3).outputs["b"] == [2.0]
    assert system.run({"x": [0.0]}, noise=3, only="b").outputs == {"a": [0.0], "b": [1.0]}


def test_modules_draw_different_random_numbers_in_one_pass_and_the_same_alone():
    def noisy(seed, v):
        return [float(seed)] * len(v)

    modules = [Module(name, plus(0), {"v": "x"}, gives="number", noisy=noisy) for name in "ab"]
    system = System(modules, inputs={"x": "number"})
    both, again, other = (system.run({"x": [0.0]}, noise=noise).outputs for noise in (3, 3, 4))
    assert both == again
    assert len({*both["a"], *both["b"], *other["a"], *other["b"]}) == 4
    assert system.run({"x": [0.0]}, noise=3, only="b").outputs["b"] == both["b"]


def test_features_come_with_the_answer():
    system = System([Module("m", lambda v: Answer(v, np.stack([v, v], axis=1)), {"v": "x"})], inputs={"x": "number"})
    assert [row.tolist() for row in system.run({"x": [1.0, 2.0]}).features["m"]] == [[1, 1], [2, 2]]


def test_a_wrong_wiring_is_told():
    for build, said in [
        (lambda: System([], inputs={"x": "any"}), "needs a module"),
        (lambda: System([number("a", plus(1), v="y")], inputs={"x": "any"}), "source"),
        (lambda: System([number("x", plus(1), v="x")], inputs={"x": "any"}), "different names"),
        (lambda: System([number("a", plus(1), v="x")], inputs={"x": "numbr"}), "number"),
        (lambda: System([number("a", plus(1), v="x")], inputs={"x": "any"}, output="b"), "output"),
        (lambda: System([number("a", plus(1), v="x")], inputs={"x": "any"}, loops={"a.w": Loop(2)}), "loop"),
        (lambda: System([Module("a", plus(1), {"v": "x"}, {"v": "text"})], inputs={"x": "image"}), "needs text"),
        (lambda: Module("a.b", plus(1), {"v": "x"}), "without a dot"),
        (lambda: Module("a", 3, {"v": "x"}), "callable"),
        (lambda: Module("a", plus(1), {}), "needs an input"),
        (lambda: Module("a", plus(1), {"v": "x"}, {"w": "text"}), "input port"),
        (lambda: Loop(0), "rounds"),
    ]:
        with told(build), pytest.raises(SurefootError, match=said):
            build()


def test_inputs_that_are_missing_or_uneven_are_told():
    system = System([number("a", total, v="x", w="y")], inputs={"x": "number", "y": "number"})
    with pytest.raises(SurefootError, match="missing; found y"):
        system.run({"x": [1.0]})
    with pytest.raises(SurefootError, match="different lengths"):
        system.run({"x": [1.0], "y": [1.0, 2.0]})


def test_a_module_that_gives_too_few_answers_fails_every_item_and_says_so():
    trace = System([number("a", lambda v: [], v="x")], inputs={"x": "number"}).run({"x": [1.0, 2.0]})
    assert "needs 1 answers; found 0" in trace.faults[0].text


def test_the_version_follows_code_weights_and_wiring():
    def made(amount):
        return System([number("a", plus(amount), v="x")], inputs={"x": "number"}).version

    assert made(1) == made(1)
    assert made(1) != made(2)
    assert chain(1, 2).version != chain(2, 1).version


def picky(v):
    if any(x < 0 for x in v):
        raise ValueError("below 0")
    return list(v)


@pytest.mark.parametrize("order", [(0, 1, 2), (1, 0, 2), (2, 1, 0)])
def test_what_a_module_raises_on_reaches_those_it_feeds_and_no_others(order):
    parts = [number("picky", picky, v="x"), number("beside", plus(1), v="x"), number("after", plus(1), v="picky")]
    system = System([parts[i] for i in order], inputs={"x": "number"}, output="beside")
    trace = system.run({"x": [1.0, -1.0]})
    assert trace.outputs == {"picky": [1.0, None], "beside": [2.0, 0.0], "after": [2.0, None]}
    assert list(trace.faults) == [1]


def test_a_substitute_mends_what_a_module_before_it_raised_on():
    system = System(
        [number("picky", picky, v="x"), number("b", plus(1), v="picky"), number("c", plus(1), v="b")],
        inputs={"x": "number"},
    )
    trace = system.run({"x": [-1.0]}, substitute={"b": [5.0]})
    assert trace.outputs["c"] == [6.0]


def test_an_item_without_a_substitute_has_no_answer():
    system = System([number("a", plus(0), v="x"), number("b", plus(1), v="a")], inputs={"x": "number"})
    trace = system.run({"x": [1.0, 2.0]}, substitute={"a": [7.0, None]})
    assert trace.outputs["b"] == [8.0, None]
    assert trace.faults[1].module == "a"


def test_one_port_of_several_may_be_substituted():
    split = Module("split", lambda v: {"p": v, "q": v + 10}, {"v": "x"}, gives={"p": "number", "q": "number"})
    both = number("both", total, p="split.p", q="split.q")
    system = System([split, both], inputs={"x": "number"})
    assert system.run({"x": [1.0]}, substitute={"split.q": [100.0]}).outputs["both"] == [101.0]


@pytest.mark.parametrize(
    ("substitute", "said"), [({"a": [1.0, 2.0]}, "need 1 values; found 2 for 'a'"), ({"x": [1.0]}, "unknown place")]
)
def test_a_wrong_substitute_is_told(substitute, said):
    with pytest.raises(SurefootError, match=said):
        System([number("a", plus(0), v="x")], inputs={"x": "number"}).run({"x": [1.0]}, substitute=substitute)


def test_labels_of_different_types_reach_a_module_as_they_are():
    seen = []
    take = Module("take", lambda v: seen.extend(v) or list(v), {"v": "x"})
    System([take], inputs={"x": "any"}).run({"x": [1.0, "one"]})
    assert seen == [1.0, "one"]


def test_nothing_is_an_answer_of_boxes_and_not_a_number():
    for kind, fine in [("number", False), ("image", None), ("boxes", True)]:
        for empty in [[], np.zeros((0, 4)), np.zeros((0, 3, 3))]:
            with told((empty, kind)):
                trace = System(
                    [Module("m", lambda v, empty=empty: [empty], {"v": "x"}, gives=kind)], inputs={"x": "any"}
                ).run({"x": ["a"]})
                assert (not trace.faults) == (np.ndim(empty) == 3 if fine is None else fine)


def test_the_version_follows_what_a_loop_starts_from():
    def made(initial):
        step = number("step", lambda s: [2 * value for value in s], s="step")
        return System([step], inputs={"x": "number"}, loops={"step.s": Loop(3, initial)}).version

    assert made(1.0) == made(1.0) != made(2.0)
    assert made(lambda x: x + 1) != made(lambda x: x + 2)


def test_interrupts_are_not_faults():
    def stop(v):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        System([number("a", stop, v="x")], inputs={"x": "number"}).run({"x": [1.0]})
