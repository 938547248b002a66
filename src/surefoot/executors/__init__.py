"""Where work runs: in this process, in local processes, or on a Dask cluster.

Each executor implements ``surefoot.core.Executor``; results, keys and digests do not depend on which
one is used. ``Checkpointed`` and ``WithProgress`` wrap another one. May import ``core`` only; joblib and Dask
are imported when they are used.
"""

from surefoot.executors.backends import Dask, Processes, Serial
from surefoot.executors.checkpoint import Checkpointed, WithProgress

__all__ = ["Checkpointed", "Dask", "Processes", "Serial", "WithProgress"]
