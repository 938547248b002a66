"""What a model says, collected from its files before names are resolved."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

from surefoot.documents import Findings
from surefoot.faulttree.formats.mef.elements import Element
from surefoot.faulttree.formula import Formula
from surefoot.faulttree.groups import CommonCause
from surefoot.faulttree.quantities import Quantity


@dataclass(eq=False)
class Scope:
    """A container, the names mentioned in it, and what they turned out to mean."""

    path: str
    private: bool
    findings: Findings
    mentions: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    renames: dict[str, str] = field(default_factory=dict)

    def inner(self, name: str) -> str:
        """The path of a name defined here."""
        return f"{self.path}.{name}" if self.path else name

    @property
    def tree(self) -> str:
        """The name of the fault tree that it belongs to."""
        return self.path.partition(".")[0]


@dataclass
class Names:
    """One namespace: what each name of the model is, where it is defined, and how the file refers to it."""

    kinds: dict[str, str] = field(default_factory=dict)
    places: dict[str, str] = field(default_factory=dict)
    public: dict[str, str] = field(default_factory=dict)
    paths: dict[str, str] = field(default_factory=dict)
    homes: dict[str, Scope] = field(default_factory=dict)
    private: set[str] = field(default_factory=set)
    labels: dict[str, str] = field(default_factory=dict)
    attributes: dict[str, dict[str, str]] = field(default_factory=dict)
    exact: dict[str, dict[str, Any]] = field(default_factory=dict)
    """What the file says of a name in words of our own, where Open-PSA has none."""

    def find(self, reference: str, scope: Scope) -> str | None:
        """The name that a reference means: looked for in its container, outward, among public names, as a path."""
        path = scope.path
        while path:
            found = self.paths.get(f"{path}.{reference}")
            if found is not None:
                return found
            path = path.rpartition(".")[0]
        return self.public.get(reference) or self.paths.get(reference)


@dataclass
class Draft:
    """Definitions by their final names; until ``resolve``, formulas refer to others as the file does."""

    events: Names = field(default_factory=Names)
    shared: Names = field(default_factory=Names)
    grouped: Names = field(default_factory=Names)
    gates: dict[str, Formula] = field(default_factory=dict)
    basic: dict[str, Quantity | None] = field(default_factory=dict)
    houses: dict[str, bool] = field(default_factory=dict)
    parameters: dict[str, Quantity] = field(default_factory=dict)
    groups: list[CommonCause] = field(default_factory=list)
    scopes: list[Scope] = field(default_factory=list)
    expressions: dict[str, tuple[Element, Scope]] = field(default_factory=dict)
    """Of basic events, by name."""
    shared_expressions: dict[str, tuple[Element, Scope]] = field(default_factory=dict)
    """Of parameters, by name."""
    later: dict[str, list[tuple[Element, Scope]]] = field(default_factory=lambda: defaultdict(list))
    """Elements that can be read once all names are known, by tag."""
    trees: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    """What the files mean and no static tree can say, a sentence each."""
    conditions: list[str | bool | Formula] = field(default_factory=list)
    """What substitutions ask for beside the top event."""
    foreign: dict[tuple[str, str], tuple[str, int]] = field(default_factory=dict)
    """Attributes that the format does not have, by tag and name: the first place, and how often."""
    about: dict[str, str] = field(default_factory=dict)
    """What the file says of itself."""
    containers: dict[str, dict[str, str]] = field(default_factory=dict)
    """What it says of its containers, by path."""
    stated: dict[str, Any] = field(default_factory=dict)
    """What ``write_mef`` said of the tree as a whole."""
    main: str = ""
    """The path of the fault tree that it wrote."""

    @property
    def findings(self) -> list[Findings]:
        """The problems, file by file."""
        return list({id(scope.findings): scope.findings for scope in self.scopes}.values())
