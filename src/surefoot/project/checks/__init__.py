"""What can be found wrong with a project before anything is run.

``validation`` reads as much of the file as can be read: a draft. ``sections`` goes through steps, targets, conditions
and case, ``parameters`` through what a step is told, ``trees`` through fault trees, worksheets and chains. Each check
takes a draft and yields problems; none imports code of the project. ``column_samples`` looks at the first rows, and
lets functions that vary inputs try a few of them in a process of their own.
"""
