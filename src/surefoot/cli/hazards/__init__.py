"""``surefoot hazop`` and ``surefoot tree``: from the worksheet of a hazard analysis to what a fault tree asks for."""
