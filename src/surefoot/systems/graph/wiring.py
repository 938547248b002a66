"""Checks a system's wiring and puts its modules in order; parts of a loop stay together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from surefoot.core import InvalidInput, validate
from surefoot.systems.graph.module import Loop, Module, module_of
from surefoot.systems.graph.ports import fits

Stages = tuple[tuple[str, ...], ...]


def places(inputs: Mapping[str, str], modules: Sequence[Module]) -> dict[str, str]:
    """The kind of every place that something may be fed from."""
    return dict(inputs) | {m.place(port): kind for m in modules for port, kind in m.ports.items()}


def require_wired(modules: Sequence[Module], kinds: Mapping[str, str], loops: Mapping[str, Loop]) -> None:
    """Every input comes from somewhere, of a kind that fits, and every loop closes at an input."""
    ports = {f"{m.name}.{port}" for m in modules for port in m.inputs}
    for name in loops:
        validate.choice(name, ports, where="System", name="loop")
    for module in modules:
        for port, source in module.inputs.items():
            where = f"module {module.name!r}, input {port!r}"
            validate.choice(source, kinds, where=where, name="source")
            wanted = module.takes.get(port, "any")
            if not fits(wanted, kinds[source]):
                found = f"{source!r} gives {kinds[source]}"
                raise InvalidInput(f"needs {wanted}", where=where, found=found, remedy="Put a module between them.")


def stages(modules: Sequence[Module], loops: Mapping[str, Loop]) -> Stages:
    """Modules in an order in which each finds its inputs; modules of one loop form one stage."""
    names = [m.name for m in modules]
    feeds = {m.name: _sources(m, names, loops, closing=False) for m in modules}
    order = _sorted(feeds)
    closed = {m.name: _sources(m, names, loops, closing=True) for m in modules}
    groups = _groups(order, feeds, closed)
    return tuple(_sorted_groups(groups, order, feeds))


def _sources(module: Module, names: Sequence[str], loops: Mapping[str, Loop], *, closing: bool) -> set[str]:
    fed = {module_of(s) for p, s in module.inputs.items() if (f"{module.name}.{p}" in loops) == closing}
    return fed & set(names)


def _sorted(feeds: Mapping[str, set[str]]) -> list[str]:
    order: list[str] = []
    left = dict(feeds)
    while left:
        ready = [name for name, sources in left.items() if not sources & set(left)]
        if not ready:
            raise InvalidInput(
                "modules feed each other in a loop that has no stated bound",
                where="System",
                found=" -> ".join(_cycle(left)),
                remedy="Name the input that closes the loop: loops={'module.port': Loop(rounds=5, initial=...)}.",
            )
        order += ready
        left = {name: sources for name, sources in left.items() if name not in ready}
    return order


def _cycle(feeds: Mapping[str, set[str]]) -> list[str]:
    path = [next(iter(feeds))]
    while path[-1] not in path[:-1]:
        path.append(sorted(feeds[path[-1]] & set(feeds))[0])
    return path[path.index(path[-1]) :][::-1]


def _groups(order: Sequence[str], feeds: Mapping[str, set[str]], closed: Mapping[str, set[str]]) -> list[set[str]]:
    """Modules that a loop makes run again together: those on a way from its input to what feeds it back."""
    groups = [{name} for name in order]
    for name, sources in closed.items():
        for source in sources:
            between = (_after(name, feeds) & _before(source, feeds)) | {name, source}
            joined = set().union(between, *(group for group in groups if group & between))
            groups = [group for group in groups if not group & joined] + [joined]
    return groups


def _before(name: str, feeds: Mapping[str, set[str]]) -> set[str]:
    found, open_ = {name}, [name]
    while open_:
        fresh = feeds[open_.pop()] - found
        found |= fresh
        open_ += fresh
    return found


def _after(name: str, feeds: Mapping[str, set[str]]) -> set[str]:
    return {other for other in feeds if name in _before(other, feeds)}


def _sorted_groups(
    groups: list[set[str]], order: Sequence[str], feeds: Mapping[str, set[str]]
) -> list[tuple[str, ...]]:
    home = {name: number for number, group in enumerate(groups) for name in group}
    between = {
        str(number): {str(home[source]) for name in group for source in feeds[name]} - {str(number)}
        for number, group in enumerate(groups)
    }
    return [tuple(name for name in order if home[name] == int(number)) for number in _sorted(between)]
