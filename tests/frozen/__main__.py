"""Make the record anew: ``python -m tests.frozen``, or ``python -m tests.frozen names demo`` for parts of it."""

import sys
import tempfile
from pathlib import Path

from tests.frozen.comparison import same_key_other_result
from tests.frozen.record import PARTS, kept, made, write


def main(names):
    for name in names or PARTS:
        with tempfile.TemporaryDirectory() as folder:
            new = made(name, Path(folder))
        old = kept(name)
        unmarked = same_key_other_result(old, new) if old else []
        if unmarked:
            steps = ", ".join(unmarked)
            sys.exit(f"{name}: results of {steps} changed under the same key; raise what `meaning` of the step states.")
        sys.stdout.write(f"{name}: {'as it was' if new == old else 'written'}\n")
        write(name, new)


main(sys.argv[1:])
