"""From a top-event target to requirements for chosen events, each way checked forward on the compiled tree."""

from surefoot.faulttree.allocation.allocate import allocate
from surefoot.faulttree.allocation.costs import CostOf
from surefoot.faulttree.allocation.result import Allocation, Method

__all__ = ["Allocation", "CostOf", "Method", "allocate"]
