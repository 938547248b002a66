"""``TorchFeatures``: a layer of a torch module by its name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from numpy.typing import NDArray

from surefoot.adapters.model import running
from surefoot.adapters.torch_model import alone_with, forward
from surefoot.core import InvalidInput
from surefoot.monitors.features.batches import array_of
from surefoot.monitors.features.layers import first_tensor, layer_named, layer_names, torch_module
from surefoot.monitors.features.watch import Features, Pool, Predict, Run


@contextmanager
def hooked(part: Any, keep: Callable[..., None]) -> Iterator[None]:
    """See what a layer gives, for a while."""
    hook = part.register_forward_hook(keep)
    try:
        yield
    finally:
        hook.remove()


class TorchFeatures(Features):
    """Features of a named layer and the module's answer, from one forward pass in evaluation mode.

    ``pool`` makes one row of what the layer gives for an input: "flatten" takes all values, "mean" the mean over the
    places of a map with channels first, and a function of the array does as it likes. A layer that gives several
    tensors counts with its first; one that is called several times, with its last call. ``classes`` names the columns
    of the answer; ``predict`` turns answers into predictions where they are not a column of scores a class.
    """

    def __init__(
        self,
        module: Any,
        layer: str,
        *,
        pool: Pool = "flatten",
        batch: int = 256,
        classes: Sequence[Any] | None = None,
        predict: Predict | None = None,
    ) -> None:
        super().__init__("TorchFeatures", pool=pool, batch=batch, classes=classes, predict=predict)
        self.module, self.layer = module, layer
        self._part = layer_named(module, layer, where=self.name)

    def __repr__(self) -> str:
        return f"TorchFeatures({type(self.module).__name__}, {self.layer!r})"

    @staticmethod
    def layers(module: Any) -> list[str]:
        """Names of the layers of a module, in its order."""
        return layer_names(torch_module(module, where="TorchFeatures"))

    def _run(self, rows: NDArray[Any]) -> Run:
        seen: list[NDArray[Any]] = []

        def keep(part: Any, taken: Any, given: Any) -> None:
            seen[:] = [array_of(first_tensor(given))]

        with alone_with(self.module), hooked(self._part, keep), running(type(self.module).__name__, None):
            answer = array_of(first_tensor(forward(self.module)(rows)))
        if not seen:
            remedy = "Name a layer that is called."
            raise InvalidInput(
                "the layer does not run in a forward pass", where=self.name, found=self.layer, remedy=remedy
            )
        return seen[0], answer
