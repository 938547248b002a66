"""Where a torch module drops values: in dropout layers of its own, or forced after named layers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any

from surefoot.core import InvalidInput, validate
from surefoot.documents import listed
from surefoot.monitors.features.layers import first_tensor, layer_named, layer_names, torch_module

WHERE = "mc_dropout"
MOST_NAMED = 12


@dataclass(eq=False)
class Dropping(ABC):
    """Layers with dropout, and whether one of them ran."""

    parts: dict[str, Any]
    rate: float | None
    ran: bool = field(default=False, init=False)

    @property
    def names(self) -> list[str]:
        """The names of the layers."""
        return list(self.parts)

    @contextmanager
    def active(self) -> Iterator[None]:
        """Dropout on, for a while."""
        with ExitStack() as kept:
            for part in self.parts.values():
                kept.callback(part.register_forward_hook(self._after).remove)
                kept.enter_context(self._on(part))
            yield

    @contextmanager
    @abstractmethod
    def _on(self, part: Any) -> Iterator[None]:
        """A layer with its dropout on."""

    @abstractmethod
    def _after(self, part: Any, taken: Any, given: Any) -> Any:
        """What a layer gives instead; None leaves it."""


class Own(Dropping):
    """Dropout layers of the module itself, at their rate or at another."""

    @contextmanager
    def _on(self, part: Any) -> Iterator[None]:
        name = rate_name(part)
        before, training = getattr(part, name), part.training
        part.training = True
        setattr(part, name, before if self.rate is None else self.rate)
        try:
            yield
        finally:
            part.training = training
            setattr(part, name, before)

    def _after(self, part: Any, taken: Any, given: Any) -> None:
        self.ran = True


class Forced(Dropping):
    """Dropout after layers that have none."""

    @contextmanager
    def _on(self, part: Any) -> Iterator[None]:
        yield

    def _after(self, part: Any, taken: Any, given: Any) -> Any:
        from torch.nn.functional import dropout

        self.ran = True
        kept = first_tensor(given)
        dropped = dropout(kept, self.rate or 0.0, training=True)
        return tuple(dropped if item is kept else item for item in given) if isinstance(given, tuple) else dropped


def dropping(module: Any, rate: float | None, layers: Sequence[str] | None) -> Dropping:
    """Where dropout is to be, by what was asked for."""
    torch_module(module, where=WHERE)
    stated = None if rate is None else validate.fraction(rate, where=WHERE, name="rate")
    if layers is not None:
        if stated is None or not layers:
            problem = "dropout that is forced needs layers and a rate"
            raise InvalidInput(problem, where=WHERE, remedy="Give for example layer='fc1', rate=0.1.")
        return Forced({name: layer_named(module, name, where=WHERE) for name in layers}, stated)
    own = {name: part for name, part in module.named_modules() if rate_name(part)}
    if not own:
        raise InvalidInput(
            "the module has no dropout layer",
            where=WHERE,
            found=f"the layers {listed(layer_names(module, leaves=True), MOST_NAMED)}",
            remedy="Name one after which dropout is forced, and its rate: layer='...', rate=0.1. "
            "Dropout that is called as a function (torch.nn.functional) cannot be switched on from outside.",
        )
    return Own(own, stated)


def rate_name(part: Any) -> str:
    """The attribute that holds the rate of a layer with dropout; empty where it has none."""
    from torch import nn

    if isinstance(part, nn.modules.dropout._DropoutNd):
        return "p" if part.p > 0 else ""
    between_layers = isinstance(part, nn.RNNBase) and part.num_layers > 1
    inside = between_layers or isinstance(part, nn.MultiheadAttention)
    return "dropout" if inside and part.dropout > 0 else ""
