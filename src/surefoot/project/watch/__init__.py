"""A stream of operational inputs against an assessment: raises when an assumption breaks or a claim falls.

``Watch`` compares batches of rows with the operating conditions, with the data that the evidence rests on (conformal
test martingales; Vovk, Gammerman and Shafer 2022), and labelled ones with the claimed limits (betting; Waudby-Smith and
Ramdas 2024); what breaks is carried up the assurance case. ``open_stream`` reads files, folders and standard input,
``Feed`` hands them over. May import the rest of ``project`` and everything below it.
"""

from surefoot.project.watch.answering import Reference
from surefoot.project.watch.conditions import ConditionWatch
from surefoot.project.watch.event import Event
from surefoot.project.watch.features import Features
from surefoot.project.watch.feeding import Feed
from surefoot.project.watch.layout import Layout
from surefoot.project.watch.lines import Patience
from surefoot.project.watch.profile import ProfileWatch
from surefoot.project.watch.sequential import FailureTest
from surefoot.project.watch.state_file import damaged, read_state, write_state
from surefoot.project.watch.streams import STDIN, open_stream
from surefoot.project.watch.telling import figures_of
from surefoot.project.watch.watch import Watch

__all__ = [
    "STDIN",
    "ConditionWatch",
    "Event",
    "FailureTest",
    "Features",
    "Feed",
    "Layout",
    "Patience",
    "ProfileWatch",
    "Reference",
    "Watch",
    "damaged",
    "figures_of",
    "open_stream",
    "read_state",
    "write_state",
]
