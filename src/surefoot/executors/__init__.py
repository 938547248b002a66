"""Where work runs: in this process, in local processes, or on a Dask cluster.

Each executor implements ``surefoot.core.Executor``; results, keys and digests do not depend on which
one is used. May import ``core`` only; joblib and Dask are imported when they are used.
"""

from surefoot.executors.dask import Dask
from surefoot.executors.local import Processes, Serial

__all__ = ["Dask", "Processes", "Serial"]
