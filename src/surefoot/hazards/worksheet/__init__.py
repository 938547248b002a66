"""The model of a HAZOP: items with their parameters and guide words, rows, properties, scales, and what is missing."""

from surefoot.hazards.worksheet.deviations import Deviation
from surefoot.hazards.worksheet.hazop import Hazop
from surefoot.hazards.worksheet.item import Item
from surefoot.hazards.worksheet.matrix import RiskMatrix
from surefoot.hazards.worksheet.properties import Property
from surefoot.hazards.worksheet.row import Mitigation, Row

__all__ = ["Deviation", "Hazop", "Item", "Mitigation", "Property", "RiskMatrix", "Row"]
