"""Fetch a file from its public home and accept it only with the right checksum."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
import urllib.error
import urllib.request
from pathlib import Path

from surefoot.core.errors import MissingData

TIMEOUT_SECONDS = 60


def file_digest(path: Path) -> str:
    """SHA-256 of a file."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def check_digest(path: Path, sha256: str) -> Path:
    """The path, if the file's SHA-256 is the expected one; raises ``MissingData`` otherwise."""
    found = file_digest(path)
    if found != sha256:
        raise MissingData(
            f"{path.name} is not the file that is needed",
            where=str(path.parent),
            found=f"SHA-256 {found}, expected {sha256}",
            remedy="Delete it and fetch it again from its public home.",
        )
    return path


def fetch(url: str, target: Path, *, sha256: str) -> Path:
    """Download ``url`` to ``target``; nothing is left at ``target`` unless the checksum is right."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as folder:
        arrived = Path(folder) / target.name
        try:
            with urllib.request.urlopen(url, timeout=TIMEOUT_SECONDS) as source, arrived.open("wb") as sink:
                shutil.copyfileobj(source, sink)
        except (urllib.error.URLError, OSError) as error:
            raise MissingData(
                f"{target.name} could not be fetched",
                where=url,
                found=str(error),
                remedy=f"Fetch it by hand into {target.parent}.",
            ) from error
        return check_digest(arrived, sha256).replace(target)
