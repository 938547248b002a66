"""From a top-event target to requirements for chosen events, each way checked forward on the compiled tree."""

from surefoot.faulttree.allocation.requirements import Allocation, Method, allocate
from surefoot.faulttree.allocation.rules import CostOf

__all__ = ["Allocation", "CostOf", "Method", "allocate"]
