"""Names of SACM 2: namespaces, types and identifiers.

Structure and names follow the EMOF model of SACM 2.3 and the Ecore files of its EMF implementation (2.2), as far as
the two agree. The standard itself gives no namespace for files; these are those of the Ecore files.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from surefoot.case.node import Kind

XMI = "http://www.omg.org/XMI"
XSI = "http://www.w3.org/2001/XMLSchema-instance"
PACKAGES = ("assurancecase", "argumentation", "artifact", "base")
NAMESPACES = {package: f"http://omg.sacm/2.2/{package}" for package in PACKAGES}

Role = Literal["claim", "reasoning", "reference", "relation", "package", "interface", "binding", "case", "ignored"]
FORMAT = "1"
STRUCTURED = ("number", "stated", "multiplicity", "choice")
DATA = (*STRUCTURED, "supported_by", "in_context_of", "challenges", "policy", "order")
"""Tagged values that are no texts."""
OWN = "surefoot."
JSON = ".json"
"""Tagged values that begin with ``surefoot.`` hold what SACM has no word for; with ``.json`` as JSON."""


@dataclass(frozen=True)
class Type:
    """What an element of this type is for a case."""

    role: Role
    kind: Kind | None = None
    """Of a type of GSN: what it is in any place."""
    turned: bool = False
    """Relations of GSN point from what is supported to what supports it, those of SACM the other way."""
    context: bool = False
    cited: bool = False


TYPES: dict[str, Type] = {
    "AssuranceCasePackage": Type("case"),
    "AssuranceCasePackageInterface": Type("ignored"),
    "AssuranceCasePackageBinding": Type("case"),
    "ArgumentPackage": Type("package"),
    "ArgumentPackageInterface": Type("interface"),
    "ArgumentPackageBinding": Type("binding"),
    "ArgumentGroup": Type("ignored"),
    "Claim": Type("claim"),
    "ArgumentReasoning": Type("reasoning"),
    "ArtifactReference": Type("reference"),
    "AssertedInference": Type("relation"),
    "AssertedEvidence": Type("relation"),
    "AssertedArtifactSupport": Type("relation"),
    "AssertedContext": Type("relation", context=True),
    "AssertedArtifactContext": Type("relation", context=True),
    "Module": Type("package"),
    "ContractModule": Type("binding"),
    "Goal": Type("claim", "claim"),
    "AwayGoal": Type("claim", "sub-case", cited=True),
    "Assumption": Type("claim", "side-claim"),
    "AwayAssumption": Type("claim", "side-claim", cited=True),
    "Justification": Type("claim", "justification"),
    "AwayJustification": Type("claim", "justification", cited=True),
    "Strategy": Type("reasoning", "argument"),
    "Solution": Type("reference", "evidence"),
    "AwaySolution": Type("reference", "evidence", cited=True),
    "Context": Type("reference", "context"),
    "AwayContext": Type("reference", "context", cited=True),
    "ModuleReference": Type("reference", "sub-case"),
    "ContractModuleReference": Type("reference", "contract"),
    "SupportedBy": Type("relation", turned=True),
    "InContextOf": Type("relation", turned=True, context=True),
}
"""Types of the argumentation package, and those that the GSN metamodel derives from them."""

ARTIFACTS = ("Artifact", "Property", "Technique", "Participant", "Activity", "Event", "Resource")
REFERENCES: tuple[Kind, ...] = ("evidence", "context", "contract")
"""Kinds that are written as ArtifactReference; arguments are ArgumentReasoning, all others Claim."""

_NOT_KEPT = re.compile("[^A-Za-z0-9-]")


def encoded(prefix: str, *names: str) -> str:
    """An XML id that holds names of any characters; different names give different ids.

    >>> encoded("n", "G_1"), encoded("n", "module 2")
    ('n.G__1', 'n.module_x20_2')
    """
    return ".".join([prefix, *(_NOT_KEPT.sub(_escape, name) for name in names)])


def _escape(found: re.Match[str]) -> str:
    return "__" if found[0] == "_" else f"_x{ord(found[0]):x}_"
