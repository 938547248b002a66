"""Which inputs to label next: from a project that was assessed to a plan of labels.

``found`` finds the failure probabilities that feed top events, ``weights`` how much each matters there, ``gathering``
the labelled and the operational rows behind each. Belongs to the second loop of Figure 4 of paper RAM (Dong et al.
2023, section 3.2); the statistics live in ``surefoot.hazards.labels``. May import what ``surefoot.project`` may.
"""

from surefoot.project.labelling.next import label_next

__all__ = ["label_next"]
