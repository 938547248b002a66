"""Systems as graphs: modules with typed ports, wired to inputs and to each other, in series, in parallel, in loops.

``Module`` is one part, ``System`` the whole; running one gives a ``Trace`` of everything that went through it. Figure 2
of paper SYS (Wang et al. 2022) shows the shapes that occur. May import ``core`` and ``metrics``.
"""

from surefoot.systems.graph.module import Answer, Loop, Module
from surefoot.systems.graph.system import Fault, System, Trace

__all__ = ["Answer", "Fault", "Loop", "Module", "System", "Trace"]
