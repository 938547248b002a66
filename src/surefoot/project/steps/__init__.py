"""The built-in evidence steps: thin functions from answers on labelled rows to evidence.

Each module holds a step or two, marked ``@step``; ``parameters`` holds the words they share
in a project file, ``rows``, ``checks``, ``tables`` and ``figures`` what they share in code. The maths lives in
``bounds`` and ``opinions``. May import every package below ``project``.
"""
