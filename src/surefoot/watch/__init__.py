"""A stream of operational inputs against an assessment: raises when an assumption breaks or a claim falls.

``Watch`` compares batches of rows with the operating conditions, with the data that the evidence rests on (conformal
test martingales; Vovk, Gammerman and Shafer 2022), and labelled ones with the claimed limits (betting; Waudby-Smith and
Ramdas 2024); what breaks is carried up the assurance case. ``open_stream`` reads files, folders and standard input,
``Feed`` hands them over. May import ``project`` and everything below it.
"""

from surefoot.watch.claims import FailureTest
from surefoot.watch.drift import Features, Layout, ProfileWatch, Reference
from surefoot.watch.feed import Feed, damaged, read_state, write_state
from surefoot.watch.records import Event, Patience
from surefoot.watch.streams import STDIN, open_stream
from surefoot.watch.watch import ConditionWatch, Watch, status_figures

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
    "open_stream",
    "read_state",
    "status_figures",
    "write_state",
]
