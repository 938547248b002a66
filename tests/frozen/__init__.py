"""What the product says, kept so that a change of it is noticed.

``python -m tests.frozen`` makes the record anew, which is right only where a change is meant. It refuses where the
evidence of a step changed and the version of what the step means did not (``surefoot.project.meaning``).
"""
