"""Import what a first assessment imports, so that Python compiles it at set-up: ``python -m surefoot.cli.warmup``."""

from __future__ import annotations

from importlib import import_module

USED = (
    "matplotlib.backends.backend_svg",
    "matplotlib.pyplot",
    "scipy.stats",
    "skops.io",
    "sklearn.ensemble",
    "sklearn.linear_model",
    "sklearn.pipeline",
    "surefoot.adapters.worker",
    "surefoot.cli.commands",
    "surefoot.opinions",
    "surefoot.project.steps.cells",
    "surefoot.project.steps.losses",
    "surefoot.project.steps.opinion",
    "surefoot.reliability.cells.maps",
    "surefoot.report",
)


def main() -> None:
    """Import them all."""
    for name in USED:
        import_module(name)


if __name__ == "__main__":
    main()
