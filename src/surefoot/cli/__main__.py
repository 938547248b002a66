"""``python -m surefoot.cli`` is the ``surefoot`` command."""

from surefoot.cli import main

main()
