"""The built-in evidence steps: thin functions from answers on labelled rows to evidence.

Each module holds a step or two, marked ``@step``, with the words that only it has in a project file; ``parameters``
holds words, tables and figures that steps share, ``test_data`` what they all do with labelled rows. The maths lives in
the packages below. May import every package below ``project``.
"""
