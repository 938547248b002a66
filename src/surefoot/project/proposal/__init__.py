"""A first project file, proposed from a model and its data: what they hold, and what is guessed and said to be so.

``columns`` looks at the columns of the data and finds the part of each, ``trial`` asks the model about itself and lets
it answer a few rows, ``first_project`` puts a project together, and ``commented`` writes it as a file with its reasons.
"""

from surefoot.project.proposal.commented import Guess
from surefoot.project.proposal.first_project import Proposal, propose

__all__ = ["Guess", "Proposal", "propose"]
