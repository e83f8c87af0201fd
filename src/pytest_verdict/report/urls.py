"""URLs and the file systems of fsspec behind them."""

from collections.abc import Iterator
from contextlib import contextmanager
from errno import ENOENT
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from pytest_verdict.errors import ConfigurationError, MissingExtraError


def file_name(source: str | Path) -> str:
    """Return the file name at the end of a path or URL, without a query."""
    return Path(urlsplit(str(source)).path if is_url(source) else source).name


def is_url(place: str | Path) -> bool:
    # A Path has only one of the slashes.
    return isinstance(place, str) and "://" in place


@contextmanager
def open_url(url: str) -> Iterator[tuple[Any, str]]:
    """Yield the file system of a URL and the path in it; exceptions of the file system become an OSError."""
    try:
        import fsspec
    except ImportError:
        raise MissingExtraError("a URL", "remote") from None
    try:
        yield fsspec.core.url_to_fs(url)
    except FileNotFoundError as error:
        raise FileNotFoundError(ENOENT, "there is no such file", url.partition("?")[0]) from error
    except (ImportError, ValueError) as error:
        raise ConfigurationError(f"{url.partition('://')[0]}://: {error}") from None
    except Exception as error:  # each file system has exceptions of its own
        raise OSError(f"{file_name(url)}: {type(error).__name__}: {error}") from error


def cache_folder() -> Path:
    """Return the folder of copies; only this user may write to it, so nobody else can plant a copy."""
    cache = Path.home() / ".cache/pytest-verdict"
    cache.mkdir(mode=0o700, parents=True, exist_ok=True)
    return cache
