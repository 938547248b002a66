import pytest

from surefoot import watch as watches
from surefoot.project import run

from . import guarded


@pytest.fixture(scope="session")
def assessed():
    """A project with its result, computed once."""
    made = guarded.project()
    return made, run(made)


@pytest.fixture
def watch(assessed):
    return watches.Watch(*assessed)
