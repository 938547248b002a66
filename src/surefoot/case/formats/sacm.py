"""Cases as XMI of the Structured Assurance Case Metamodel (SACM 2, Object Management Group).

Written is the structure of SACM 2.3 as far as the Ecore files of the EMF implementation (2.2, namespaces
``http://omg.sacm/2.2/...``) have it too: AssuranceCasePackage, ArgumentPackage (a module) with its
ArgumentPackageInterface (public nodes) and ArgumentPackageBinding (contracts), Claim with ``assertionDeclaration``,
ArgumentReasoning, ArtifactReference, Artifact, AssertedInference, AssertedEvidence, AssertedContext,
AssertedArtifactSupport and AssertedArtifactContext with ``source`` (what supports), ``target`` and ``reasoning``,
``isCounter`` for challenges. Text stands in ``description``, the id of a node in ``gid``, and what SACM has no word for
in tagged values ``surefoot.*``, so that reading gives the same case back.

Read are also files of other tools: one namespace or several, ``xsi:type`` or ``xmi:type``, ``argumentElement`` or
``argumentationElement``, references by id, href or EMF path, and the types of the GSN metamodel (Goal, Strategy,
Solution, SupportedBy and others), whose relations point the other way.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from surefoot.case.case import Case
from surefoot.case.formats.fields import CASE
from surefoot.case.formats.noted import Reading
from surefoot.case.formats.sacm_reading import case_of
from surefoot.case.formats.sacm_writing import written
from surefoot.documents import Findings, read_bytes, xml

SACM = replace(CASE, deepest=100, empty=CASE.syntax, beginning="Export the case again.", flatter="No case needs that.")
PREFIXES = {"XMLSchema-instance": "xsi", "XMI": "xmi"}
"""Of attributes, by a part of their namespaces, on which tools do not agree."""


def read_sacm_noted(path: str | Path) -> Reading:
    """A case from an XMI file, and notes on what of the file a case has no place for."""
    place = Path(path)
    findings = Findings(place.name, SACM)
    return case_of(xml.parse(read_bytes(place, SACM.largest), findings, PREFIXES), findings)


def sacm_text(case: Case) -> str:
    """The case as XMI, with ids that stay the same as long as those of the nodes do."""
    return written(case)
