"""What can be found wrong with a project before anything is run.

``validation`` reads as much of the file as can be read: a draft. ``sections`` goes through steps, targets, conditions
and case, ``parameters`` through what a step is told, ``trees`` through fault trees, worksheets and chains. Each check
takes a draft and yields problems; none imports or runs code of the project.
"""
