"""The campaign that tries to break Surefoot: ``make harden``, or ``python -m tests.harden --help`` for parts of it."""
