"""Addresses of runs in a store, ``store:...``, wherever the file or folder of a run is named."""

from pathlib import Path

from pytest_verdict.errors import RecordError
from pytest_verdict.store.baselines import resolve
from pytest_verdict.store.files import open_store
from pytest_verdict.store.store import Store


def fetch_run(address: str, location: str | None = None) -> Path:
    """Return a local folder with the report of the run at an address, which is written without ``store:``."""
    store = Store(open_store(location))
    try:
        return store.fetch(resolve(store, address).name)
    except OSError as error:
        raise RecordError(f"store:{address}: the store {store.files} cannot be reached: {error}") from None
