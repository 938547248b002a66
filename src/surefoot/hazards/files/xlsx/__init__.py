"""XLSX workbooks, read and written by their XML parts (ISO/IEC 29500): quick, and nothing in them is ever run.

Only what a worksheet needs is looked at: texts, numbers and dates of cells. Formulas, document types, encrypted parts
and parts that unpack to too much are refused. May import what ``surefoot.hazards.files`` may.
"""
