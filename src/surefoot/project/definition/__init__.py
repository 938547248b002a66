"""The project file as data: what may stand in ``surefoot.yaml``, and nothing about how it is read or run.

``words`` holds what all parts share, ``system``, ``components``, ``limits``, ``sections`` and ``case`` the parts,
``whole`` the file. May import ``surefoot.core`` and words of judgements and cases; a limit that a principle gives is
derived by ``project.derived``.
"""

from surefoot.project.definition.case import AcceptedSource, CaseSource, FeedbackSource
from surefoot.project.definition.components import Component, DataSource, ModelSource
from surefoot.project.definition.limits import ExposureSource, LimitSource, ReferenceSource, TargetSource
from surefoot.project.definition.sections import (
    EvidenceSource,
    HazardsSource,
    ScenariosSource,
    TopSource,
    TreeSource,
)
from surefoot.project.definition.system import Condition, Conditions, System
from surefoot.project.definition.whole import Definition
from surefoot.project.definition.words import (
    COMPUTED,
    FAULT_TREE,
    HAZARDS,
    HAZOP,
    IN_MEMORY,
    MODEL,
    NAME,
    SCENARIO_TREE,
    SCENARIOS,
    TOP_EVENT,
    TREE,
    TREE_STEPS,
    VERSION,
    ClassName,
    Name,
    NamesClass,
    Text,
)

__all__ = [
    "COMPUTED",
    "FAULT_TREE",
    "HAZARDS",
    "HAZOP",
    "IN_MEMORY",
    "MODEL",
    "NAME",
    "SCENARIOS",
    "SCENARIO_TREE",
    "TOP_EVENT",
    "TREE",
    "TREE_STEPS",
    "VERSION",
    "AcceptedSource",
    "CaseSource",
    "ClassName",
    "Component",
    "Condition",
    "Conditions",
    "DataSource",
    "Definition",
    "EvidenceSource",
    "ExposureSource",
    "FeedbackSource",
    "HazardsSource",
    "LimitSource",
    "ModelSource",
    "Name",
    "NamesClass",
    "ReferenceSource",
    "ScenariosSource",
    "System",
    "TargetSource",
    "Text",
    "TopSource",
    "TreeSource",
]
