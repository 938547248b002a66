"""One part of a system: its ports and their kinds, batches of values, and what identifies it."""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from types import CodeType, FunctionType, ModuleType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from surefoot.core import InvalidInput, validate
from surefoot.core.canonical import FrozenMap, array_digest, home
from surefoot.metrics.distances import Distance

OUTPUT = ""
"""The port of a module that gives one thing."""
NUMBERS = ("number", "vector", "array", "image", "audio", "boxes", "tracks")
KINDS = ("any", *NUMBERS, "label", "text")
"""What a port may hold; ``any`` fits everything, ``array`` holds vectors and images too."""
WIDER = {("array", "vector"), ("array", "image"), ("array", "audio"), ("vector", "audio")}
DIMENSIONS = {"number": (0,), "vector": (1,), "image": (3,), "audio": (1,), "boxes": (2,), "tracks": (2,)}
DEEPEST = 6
"""Objects within objects; lists and mappings do not count."""
PLAIN = (bool, int, float, str, bytes, type(None))


@dataclass(frozen=True, eq=False)
class Module:
    """A part of a system: learned or not.

    Parameters
    ----------
    name
        Without a dot.
    run
        Takes its inputs by name, each a batch (an array where all items have one shape, otherwise a list), and gives a
        batch of outputs, or a mapping of port to batch where ``gives`` is one; wrapped in ``Answer`` it brings
        features.
    inputs
        Where each input comes from: an input of the system, ``module`` or ``module.port``.
    takes
        Kinds of inputs, where they matter.
    gives
        The kind of the output, or kinds by port.
    noisy
        The same as ``run`` with random numbers in it, such as dropout: its first argument is a seed.
    distance
        Tells two outputs apart in repeated passes, by its name in ``surefoot.metrics`` or itself; a module with several
        ports is judged by the first.
    version
        Stands for everything that decides what the module answers: when it changes, recordings of it are stale. Where
        it is not stated it is read from the code of ``run`` and ``noisy`` and from what they carry.

    Examples
    --------
    >>> mean = Module("mean", lambda v: v.reshape(len(v), -1).mean(axis=1), {"v": "frames"}, gives="number")
    >>> mean.places
    ('mean',)

    """

    name: str
    run: Callable[..., Any]
    inputs: Mapping[str, str]
    takes: Mapping[str, str] = field(default_factory=FrozenMap)
    gives: str | Mapping[str, str] = "any"
    noisy: Callable[..., Any] | None = None
    distance: str | Distance | None = None
    version: str = ""

    def __post_init__(self) -> None:
        validate.fields(self, but=("run",))
        where = f"module {self.name!r}"
        if not self.name or "." in self.name:
            raise InvalidInput("a module needs a name without a dot", where="Module", found=repr(self.name))
        if not callable(self.run):
            raise InvalidInput("run must be callable", where=where, found=type(self.run).__name__)
        if not self.inputs:
            raise InvalidInput("a module needs an input", where=where, remedy="Say inputs={'x': 'frames'}.")
        object.__setattr__(self, "inputs", FrozenMap(self.inputs))
        object.__setattr__(self, "takes", FrozenMap({p: as_kind(k, where=where) for p, k in self.takes.items()}))
        if not self.version:
            object.__setattr__(self, "version", version_of((self.run, self.noisy)))
        for port in self.takes:
            validate.choice(port, self.inputs, where=where, name="input port")

    @property
    def ports(self) -> dict[str, str]:
        """Kinds of what it gives, by port; one that gives one thing has the port ""."""
        given = {OUTPUT: self.gives} if isinstance(self.gives, str) else dict(self.gives)
        return {port: as_kind(kind, where=f"module {self.name!r}") for port, kind in given.items()}

    @property
    def places(self) -> tuple[str, ...]:
        """How the system calls its ports."""
        return tuple(self.place(port) for port in self.ports)

    def place(self, port: str) -> str:
        """How the system calls a port of this module: ``module`` or ``module.port``."""
        return f"{self.name}.{port}" if port else self.name


def as_kind(kind: str, *, where: str) -> str:
    """A known kind; a misspelling gets a suggestion."""
    return validate.choice(kind, KINDS, where=where, name="kind")


def version_of(value: Any) -> str:
    """Digest of a value; of a callable its code, defaults, what it closes over, and the state of its object.

    Enough to notice an edited function, an edited helper or constant of the same file, or other weights. What a
    function reads from files or from other modules is not seen, so that a ``Module`` may state its version itself.
    """
    return hashlib.sha256(json.dumps(_described(value, 0), sort_keys=True).encode()).hexdigest()


def _described(value: Any, depth: int) -> Any:
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return ["float", repr(float(value))]
    if isinstance(value, bytes):
        return ["bytes", value.hex()]
    if isinstance(value, np.ndarray | np.generic) and not value.dtype.hasobject:
        return ["array", array_digest(np.asarray(value))]
    if hasattr(value, "detach"):
        return ["tensor", str(value.dtype), array_digest(_from_tensor(value))]
    if isinstance(value, Mapping):
        # JSON sorts keys, which the order of a mapping does not change and text alone can be.
        return {f"{type(key).__name__} {key}": _described(item, depth) for key, item in value.items()}
    if isinstance(value, Set):
        return ["set", *sorted(json.dumps(_described(item, depth), sort_keys=True) for item in value)]
    if isinstance(value, Sequence | np.ndarray):
        return [type(value).__name__, *(_described(item, depth) for item in value)]
    return _of_object(value, depth + 1) if depth < DEEPEST else type(value).__qualname__


def _from_tensor(tensor: Any) -> Any:
    # Numpy has no bfloat16.
    here = tensor.detach().cpu()
    return np.asarray(here.float() if str(here.dtype) == "torch.bfloat16" else here)


def _of_object(value: Any, depth: int) -> Any:
    if isinstance(value, ModuleType):
        return home(value.__name__)
    if isinstance(value, CodeType):
        consts = [_described(const, depth) for const in value.co_consts]
        return [value.co_name, value.co_code.hex(), list(value.co_names), consts]
    if isinstance(value, functools.partial):
        return [_described(part, depth) for part in (value.func, value.args, value.keywords)]
    if hasattr(value, "state_dict"):
        return _of_network(value, depth)
    if hasattr(value, "__code__"):
        return _of_function(value, depth)
    if isinstance(value, type):
        return [home(value.__module__), value.__qualname__]
    called = getattr(type(value).__call__, "__code__", None) if callable(value) else None
    named = getattr(value, "__qualname__", getattr(value, "__name__", type(value).__qualname__))
    return [home(type(value).__module__), named, _described(called, depth), _described(_state(value), depth)]


def _of_network(value: Any, depth: int) -> Any:
    """A network by its layers, the code of those that are one's own, and its weights."""
    parts = {type(part) for part in value.modules()} if hasattr(value, "modules") else {type(value)}
    forwards = {f"{home(kind.__module__)}.{kind.__qualname__}": getattr(kind, "forward", None) for kind in parts}
    codes = {name: getattr(function, "__code__", None) for name, function in forwards.items()}
    return [type(value).__qualname__, repr(value), _described(codes, depth), _described(value.state_dict(), depth)]


def _of_function(value: Any, depth: int) -> Any:
    cells = [_described(_content(cell), depth) for cell in value.__closure__ or ()]
    owner = getattr(value, "__self__", None)
    carried = [value.__defaults__, value.__kwdefaults__, owner, _globals(value)]
    return [_described(value.__code__, depth), cells, *(_described(part, depth) for part in carried)]


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return None


def _globals(function: Any) -> dict[str, Any]:
    """Helpers of the same file (of ours: package) and plain constants, by the names that a function mentions."""
    known, own = function.__globals__, home(function.__module__ or "")
    found = {name: known[name] for name in sorted(set(_names(function.__code__))) if name in known}
    return {
        name: value
        for name, value in found.items()
        if isinstance(value, PLAIN)
        or (isinstance(value, FunctionType) and value is not function and home(value.__module__ or "") == own)
    }


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for const in code.co_consts:
        if isinstance(const, CodeType):
            yield from _names(const)


def _state(value: Any) -> Any:
    """What an object holds, by its attributes, or where it has none as it would be pickled."""
    slots = [name for kind in type(value).__mro__ for name in _slots(kind)]
    if hasattr(value, "__dict__") or slots:
        return {**{name: getattr(value, name, None) for name in slots}, **getattr(value, "__dict__", {})}
    try:
        reduced = value.__reduce_ex__(2)
    except Exception:
        return None
    return reduced[1:3] if isinstance(reduced, tuple) else reduced


def _slots(kind: type) -> Sequence[str]:
    slots = vars(kind).get("__slots__", ())
    names = [slots] if isinstance(slots, str) else list(slots)
    return [name for name in names if name not in ("__dict__", "__weakref__")]


class Answer(NamedTuple):
    """What a module gives for a batch, with one row of features an item where it lets us look inside.

    Attributes
    ----------
    outputs
        A batch, or a mapping of port to batch.
    features
        Items x numbers; None where there are none.

    Examples
    --------
    >>> Answer([1.0, 2.0]).features is None
    True

    """

    outputs: Any
    features: Any = None


@dataclass(frozen=True)
class Loop:
    """A part that is fed from one after it: how many rounds, and what it is fed in the first.

    Parameters
    ----------
    rounds
        How often the modules of the loop run.
    initial
        What every item starts with; a callable gives it for each item from the system's inputs of that item.

    Examples
    --------
    >>> Loop(3, initial=0.0).rounds
    3

    """

    rounds: int
    initial: Any = None

    def __post_init__(self) -> None:
        validate.count(self.rounds, where="Loop", name="rounds", at_least=1)


def module_of(place: str) -> str:
    """The module that a place (``module`` or ``module.port``) belongs to."""
    return place.partition(".")[0]


def fits(wanted: str, given: str) -> bool:
    """Whether a port of one kind may be fed from a port of another."""
    return wanted == given or "any" in (wanted, given) or (wanted, given) in WIDER


def batch_of(kind: str, values: Sequence[Any]) -> Any:
    """Values as a module receives them: an array where they are numbers of one shape, otherwise a list."""
    if kind in NUMBERS or all(isinstance(value, np.ndarray | np.number | np.bool_ | float | int) for value in values):
        arrays = [np.asarray(value) for value in values]
        if len({array.shape for array in arrays}) == 1:
            return np.stack(arrays)
    return list(values)


def items_of(batch: Any, count: int, *, where: str) -> list[Any]:
    """A batch that a module gave, item by item."""
    tensor = batch.detach().cpu().numpy() if hasattr(batch, "detach") else batch
    if isinstance(tensor, str | bytes) or not hasattr(tensor, "__len__"):
        found = type(batch).__name__
        remedy = "Give a list or an array with one entry an item."
        raise InvalidInput("a module must answer with a batch", where=where, found=found, remedy=remedy)
    if len(tensor) != count:
        raise InvalidInput(f"a batch of {count} needs {count} answers", where=where, found=str(len(tensor)))
    return list(tensor)


def all_right(kind: str, batch: Any) -> bool:
    """Whether a batch is seen at once to be of a kind: an array of finite numbers, of the right dimensions."""
    if kind not in NUMBERS or not isinstance(batch, np.ndarray) or batch.dtype.kind not in "biuf":
        return False
    return batch.ndim - 1 in DIMENSIONS.get(kind, (batch.ndim - 1,)) and _finite(batch)


def _finite(array: NDArray[Any]) -> bool:
    return array.dtype.kind != "f" or bool(np.isfinite(array).all())


def wrong(kind: str, value: Any) -> str | None:
    """What is wrong with a value of a kind, or None."""
    if kind == "text":
        return None if isinstance(value, str) else f"gave a {type(value).__name__} instead of a text"
    if kind not in NUMBERS:
        return "gave no answer" if value is None else None
    return _wrong_numbers(kind, value)


def _wrong_numbers(kind: str, value: Any) -> str | None:
    array = np.asarray(value)
    if array.dtype.kind not in "biuf":
        return f"gave a {type(value).__name__} instead of numbers"
    wanted = DIMENSIONS.get(kind)
    none_found = kind in ("boxes", "tracks") and not array.size
    if wanted and array.ndim not in wanted and not none_found:
        return f"gave shape {array.shape} where a {kind} is expected"
    return None if _finite(array) else "gave numbers that are not finite"


def seed_of(seed: int, *numbers: int) -> int:
    """The seed of a part, from that of the whole and the numbers that name the part; any generator takes it.

    Random numbers of two parts must not be the same, or what is drawn for one would come back in the other.
    """
    return int(np.random.SeedSequence((seed, *numbers)).generate_state(1)[0])
