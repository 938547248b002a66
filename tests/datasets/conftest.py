import hashlib
import urllib.request
from types import SimpleNamespace

import pytest


@pytest.fixture
def folder(request, monkeypatch, tmp_path):
    """Where the set of the file's FOLDER is looked for; empty."""
    place = tmp_path / request.module.FOLDER
    place.mkdir()
    monkeypatch.setenv("SUREFOOT_DATA", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return place


@pytest.fixture
def redirect(monkeypatch):
    """Sends every download to another address."""
    real = urllib.request.urlopen

    def to(address):
        monkeypatch.setattr(urllib.request, "urlopen", lambda url, **options: real(address, **options))

    return to


@pytest.fixture
def stands_for(monkeypatch):
    """Lets a small file pass for the published one, whose checksum is known."""
    real = hashlib.file_digest

    def accept(content, published):
        own = hashlib.sha256(content).hexdigest()

        def digest(stream, kind):
            found = real(stream, kind).hexdigest()
            return SimpleNamespace(hexdigest=lambda: published if found == own else found)

        monkeypatch.setattr(hashlib, "file_digest", digest)

    return accept
