import pytest


@pytest.fixture(scope="module")
def no_garbage_collection():
    """Statsmodels collects garbage at every correction of p-values, which takes longer than the test."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("gc.collect", lambda *_: 0)
        yield
