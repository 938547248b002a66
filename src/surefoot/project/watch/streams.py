"""Where rows come from: a file, a folder, or standard input."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from surefoot.adapters.roles import LABEL_NAMES
from surefoot.core import DiagnosticsError
from surefoot.project.watch.arrays import ArrayRows
from surefoot.project.watch.chunk import Chunk
from surefoot.project.watch.folder import BINARY, LINES, FolderRows
from surefoot.project.watch.layout import Layout
from surefoot.project.watch.lines import Patience
from surefoot.project.watch.records import Records

STDIN = "-"
NO_PLACE: Mapping[str, Any] = {}


@contextmanager
def open_stream(
    where: str, layout: Layout, *, batch: int, patience: Patience | None = None, place: Mapping[str, Any] = NO_PLACE
) -> Iterator[Iterable[Chunk]]:
    """Chunks of a stream, from ``place`` on, which an earlier chunk told.

    ``where`` is a file (.csv, .jsonl, .ndjson, .npz, .parquet), a folder of such files or of images, or ``-`` for CSV
    or JSON lines on standard input, which is read from wherever it stands.
    """
    waiting, optional = patience or Patience(), (*filter(None, (layout.labels,)), *LABEL_NAMES, *layout.attributes)
    done = _rows(place)
    if where == STDIN:
        yield _counted_on(Records(sys.stdin.buffer, "stdin", batch, optional=optional), done)
        return
    path = Path(where)
    kind = path.suffix.lower()
    if path.is_dir():
        yield FolderRows(path, where, batch, waiting, layout.image_size, optional, dict(place))
    elif not path.is_file():
        raise DiagnosticsError.of("file-missing", "there is no such file or folder.", where=where)
    elif kind in LINES:
        with path.open("rb") as stream:
            yield Records(stream, where, batch, waiting, skip=done, optional=optional)
    elif kind not in BINARY:
        text = f"{path.name!r} is none of the streams that can be read ({', '.join((*LINES, *BINARY))}, a folder)."
        raise DiagnosticsError.of("watch-stream", text, where=where)
    elif waiting.follow:
        text = f"a {kind} file does not grow row by row."
        raise DiagnosticsError.of("watch-stream", text, where=where, hint="Follow a folder, or a .csv or .jsonl file.")
    else:
        yield ArrayRows(path, where, batch, skip=done)


def _rows(place: Mapping[str, Any]) -> int:
    rows = place.get("rows", 0)
    if not isinstance(rows, int) or rows < 0:
        raise DiagnosticsError.of("watch-state", "it does not say how far the stream was read.", where="state")
    return rows


def _counted_on(chunks: Iterable[Chunk], done: int) -> Iterable[Chunk]:
    """Chunks of a stream that cannot be read again: it goes on where it stands."""
    for chunk in chunks:
        yield replace(chunk, place={"rows": done + int(chunk.place["rows"])})
