"""The model of a HAZOP: items with their parameters and guide words, rows, properties, scales, and what is missing."""

from surefoot.hazards.worksheet.hazop import Deviation, Hazop, Item, Mitigation, Property, RiskMatrix, Row

__all__ = ["Deviation", "Hazop", "Item", "Mitigation", "Property", "RiskMatrix", "Row"]
