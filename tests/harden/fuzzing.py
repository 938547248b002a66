"""Damaged files for every reader: each must give a result or a coded error, within ten seconds and a gigabyte."""

import os
import random
import resource
import signal
import sys
import time
import traceback
import warnings
from collections import Counter
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory

from surefoot.core import MissingExtra, SurefootError
from tests.harden.mutation import damaged
from tests.harden.readers import READERS

SECONDS, BYTES = 10, 1 << 30
STALLED_SECONDS = 60
BATCH = 2000
RAW = "raw error"


class TooSlow(BaseException):
    """Raised by the timer of processor time inside whatever reads."""


@dataclass
class Tally:
    """What came of the inputs of one reader, and the first input of each kind of finding."""

    inputs: int = 0
    accepted: int = 0
    refused: int = 0
    findings: Counter = field(default_factory=Counter)
    texts: dict = field(default_factory=dict)

    def __add__(self, other):
        texts = {**other.texts, **self.texts}
        return Tally(
            self.inputs + other.inputs,
            self.accepted + other.accepted,
            self.refused + other.refused,
            self.findings + other.findings,
            texts,
        )


def campaign(name, inputs, *, seed=0, keep=None, on_progress=None):
    """Read so many damaged files; the same numbers give the same files. Findings are kept as files in ``keep``."""
    reader, total, first = READERS[name], Tally(), 0
    with TemporaryDirectory(prefix=f"harden-{name}-") as folder:
        seeds = [(path, path.read_bytes()) for path in reader.seeds(Path(folder))]
        refused = [path.name for path, content in seeds if not taken(reader, path, content)]
        if refused:
            raise AssertionError(f"{name}: its own reader refuses what damage starts from: {', '.join(refused)}")
        while first < inputs:
            found, reached = batch(reader, seeds, seed, range(first, min(first + BATCH, inputs)), keep)
            total, first = total + found, reached
            if on_progress:
                on_progress(total)
    return total


def batch(reader, seeds, seed, numbers, keep):
    """A process reads these inputs; where it dies or stalls, that input is a finding, and the next one goes on."""
    context = get_context("fork")
    said = seeds[0][0].parent / "said.txt"
    at = context.Value("q", numbers.start, lock=False)
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=work, args=(reader, seeds, seed, numbers, keep, at, sender, said))
    process.start()
    sender.close()
    tally, last, since = Tally(), -1, time.monotonic()
    while process.is_alive() and not receiver.poll(1):
        if at.value != last:
            last, since = at.value, time.monotonic()
        elif time.monotonic() - since > STALLED_SECONDS:
            process.kill()
    try:
        tally = receiver.recv()
        reached = numbers.stop
    except EOFError:
        process.join()
        number = at.value
        reached = number + 1
        tally = Tally(reached - numbers.start)
        path, content = input_of(seeds, seed, reader, number)
        if not (reader.in_a_process_of_its_own and refused_by_the_product(path, content)):
            stalled = process.exitcode == -signal.SIGKILL
            kind = "stalled" if stalled else f"died with {process.exitcode}"
            note(tally, kind, said.read_text(errors="replace")[-2000:], path, content, number, keep)
    process.join()
    return tally, reached


def work(reader, seeds, seed, numbers, keep, at, sender, said):
    warnings.simplefilter("ignore")
    said = os.open(said, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(said, 1)
    os.dup2(said, 2)
    within_limits()
    tally, loaded = Tally(), most_bytes()
    for number in numbers:
        at.value = number
        path, content = input_of(seeds, seed, reader, number)
        loaded = max(loaded, most_bytes())  # Damage may need memory too.
        kind, text = outcome(reader, path, content)
        if most_bytes() > loaded + BYTES:
            kind, text, loaded = "over a gigabyte", f"{most_bytes() - loaded:,} bytes; then {kind}", most_bytes()
        tally.inputs += 1
        tally.accepted += kind == "accepted"
        tally.refused += kind == "refused"
        if kind not in ("accepted", "refused"):
            note(tally, kind, text, path, content, number, keep)
    sender.send(tally)


def within_limits():
    """Never more than the machine bears; what an input took is looked at after it was read."""
    resource.setrlimit(resource.RLIMIT_AS, (16 * BYTES,) * 2)

    def too_slow(*_):
        raise TooSlow

    signal.signal(signal.SIGPROF, too_slow)


def most_bytes():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def input_of(seeds, seed, reader, number):
    chance = random.Random(f"{seed} {reader.name} {number}")
    path, content = chance.choice(seeds)
    return path, damaged(content, [other for _, other in seeds], chance)


def outcome(reader, path, content):
    """``accepted``, ``refused`` with a coded error, or what is wrong and its traceback."""
    place = path.with_name(f"{path.name}.damaged{''.join(path.suffixes[-2:])}")
    place.write_bytes(content)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        reader.read(place)
    except MissingExtra:
        raise
    except SurefootError as error:
        str(error).encode()
        return "refused", ""
    except (TooSlow, MemoryError, RecursionError, Exception) as error:
        return kind_of(error), "".join(traceback.format_exception(error)[-12:])
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        place.unlink(missing_ok=True)
    return "accepted", ""


def kind_of(error):
    """The type of the error and the last line of ours that it passed."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "/surefoot/" in frame.filename] or frames
    place = f"{ours[-1].filename.partition('/surefoot/')[2] or ours[-1].filename}:{ours[-1].lineno}"
    return f"{'over ten seconds' if isinstance(error, TooSlow) else RAW} {type(error).__name__} at {place}"


def note(tally, kind, text, path, content, number, keep):
    tally.findings[kind] += 1
    if kind in tally.texts:
        return
    tally.texts[kind] = f"input {number}, from {path.name}\n{text}"
    if keep is not None:
        keep.mkdir(parents=True, exist_ok=True)
        (keep / f"{number}-{path.name}").write_bytes(content)


def taken(reader, path, content):
    kind, text = outcome(reader, path, content)
    if kind not in ("accepted", "refused"):
        sys.stderr.write(text)
    return kind == "accepted"


def refused_by_the_product(path, content):
    """Whether the process that the product starts for foreign code turns the crash into a coded error."""
    from surefoot import adapters

    place = path.with_name(f"{path.name}.damaged{path.suffix}")
    place.write_bytes(content)
    try:
        adapters.describe_isolated({"path": place.name}, folder=place.parent, time_limit=STALLED_SECONDS)
    except SurefootError:
        return True
    finally:
        place.unlink(missing_ok=True)
    return False
