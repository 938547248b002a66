"""Lines of a text stream, each at most so long, while it may still grow."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO

LONGEST_LINE = 1 << 24
PAUSE_SECONDS = 0.2


@dataclass(frozen=True)
class Line:
    """One line with its number; ``text`` is None where it is too long or no UTF-8."""

    number: int
    text: str | None
    why: str = ""


@dataclass(frozen=True)
class Patience:
    """Whether to wait for more, and for how long."""

    follow: bool = False
    idle: float | None = None
    """End when nothing came for so many seconds; None waits for ever."""
    pause: float = PAUSE_SECONDS

    def waiting(self) -> Iterator[None]:
        """Once after each pause, until patience ends."""
        end = None if self.idle is None else time.monotonic() + self.idle
        while self.follow and (end is None or time.monotonic() < end):
            time.sleep(self.pause)
            yield


def lines_of(stream: IO[bytes], patience: Patience) -> Iterator[Line | None]:
    """Lines of a stream; None where it has no more at the moment, so that what is there can be looked at."""
    number, begun = 0, b""
    while True:
        part = stream.readline(LONGEST_LINE - len(begun))
        begun += part
        if begun.endswith(b"\n") or len(begun) >= LONGEST_LINE:
            number += 1
            yield _line(number, begun, _rest_skipped(stream, begun))
            begun = b""
        elif not part:
            yield None
            if not _more(stream, patience):
                break
    if begun:
        yield _line(number + 1, begun, False)


def _more(stream: IO[bytes], patience: Patience) -> bool:
    """Wait until there is something to read."""
    for _ in patience.waiting():
        at = stream.tell()
        if stream.read(1):
            stream.seek(at)
            return True
    return False


def _rest_skipped(stream: IO[bytes], begun: bytes) -> bool:
    """Read on to the end of a line that is too long; whether it was."""
    if begun.endswith(b"\n"):
        return False
    while part := stream.readline(LONGEST_LINE):
        if part.endswith(b"\n"):
            break
    return True


def _line(number: int, raw: bytes, too_long: bool) -> Line:
    if too_long:
        return Line(number, None, f"the line is longer than {LONGEST_LINE:,} bytes")
    try:
        return Line(number, raw.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n"))
    except UnicodeDecodeError:
        return Line(number, None, "the line is not UTF-8")
