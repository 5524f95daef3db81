"""Files on object storage or on the web, found by their address and opened through Arrow or fsspec."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from podium.base.errors import InputError, MissingExtraError
from podium.base.words import beginning

#: How an address begins that is no path.
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")

#: Seconds until a store that does not answer is given up, and tries.
_CONNECT, _ANSWER, _TRIES = 5.0, 10.0, 2

#: Letters of what a store says that are shown.
_LONGEST = 200

#: Where credentials come from, by scheme.
_CREDENTIALS = {
    "s3": "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a profile, or a role; AWS_ENDPOINT_URL names another store",
    "gs": "GOOGLE_APPLICATION_CREDENTIALS, or gcloud auth application-default login",
    "abfs": "AZURE_STORAGE_ACCOUNT_NAME, with az login or AZURE_STORAGE_ACCOUNT_KEY",
}

#: Other spellings of schemes.
_ALIASES = {"s3a": "s3", "gcs": "gs", "abfss": "abfs", "az": "abfs"}


class _Address(NamedTuple):
    """An address, taken apart; and `place`, what its file system calls it."""

    url: str
    scheme: str
    place: str


@dataclass(frozen=True, slots=True)
class Remote:
    """One file.

    Attributes
    ----------
    name
        Its address.
    system
        Arrow's file system.
    place
        What that calls it.
    size
        Bytes.
    """

    name: str
    system: Any
    place: str
    size: int

    def open(self) -> Any:
        """Open it with random access.

        Raises
        ------
        InputError
            The store does not give it.
        """
        with _answering(_taken_apart(self.name)):
            return self.system.open_input_file(self.place)


def is_remote(source: str) -> bool:
    """Whether a source is an address.

    >>> is_remote("s3://bucket/scores.parquet"), is_remote("scores.csv"), is_remote("C:/scores.csv")
    (True, False, False)
    """
    return _URL.match(source) is not None


def remote_files(url: str) -> list[Remote]:
    """List the file at an address, the files that match a pattern, or all files of a folder, by name.

    Raises
    ------
    InputError
        There is none, or the store cannot be reached.
    MissingExtraError
        The library for the store is not installed.
    """
    address = _taken_apart(url)
    system = _system(address)
    with _answering(address):
        found = sorted(_listed(system, address))
    if not found:
        if _is_pattern(address):
            raise InputError(f"no file matches {url!r}")
        raise InputError(f"there is no file {url!r}{', or its server does not answer' if _is_web(address) else ''}")
    start = url.removesuffix(address.place)
    return [Remote(start + place, system, place, size) for place, size in found]


def _listed(system: Any, address: _Address) -> Iterator[tuple[str, int]]:
    from pyarrow.fs import FileSelector, FileType  # noqa: PLC0415  # only for what is far away

    pattern = re.compile(_expression(address.place)) if _is_pattern(address) else None
    if pattern is None:
        (info,) = system.get_file_info([address.place])
        if info.type == FileType.File:
            yield info.path, info.size or 0
        if info.type != FileType.Directory:
            return
    folder = address.place if pattern is None else re.split(r"[*?\[]", address.place)[0].rpartition("/")[0]
    for info in system.get_file_info(FileSelector(folder, recursive=True, allow_not_found=True)):
        if info.type == FileType.File and (pattern is None or pattern.fullmatch(info.path)):
            yield info.path, info.size


def _is_pattern(address: _Address) -> bool:
    return not _is_web(address) and any(sign in address.place for sign in "*?[")


def _is_web(address: _Address) -> bool:
    return address.scheme in {"http", "https"}


def _expression(pattern: str) -> str:
    r"""Regular expression of a pattern: `**/` is any folders, `*` and `?` stay in one, `[…]` is one of some letters.

    >>> bool(re.fullmatch(_expression("b/**/run-?.csv"), "b/x/y/run-1.csv")), _expression("*.csv")
    (True, '[^/]*\\.csv')
    """
    signs = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    pieces = re.findall(r"\*\*/|\*\*|\*|\?|\[[^\]]+\]|.", pattern)
    return "".join(signs.get(one) or (one.replace("[!", "[^") if one[1:] else re.escape(one)) for one in pieces)


def _taken_apart(url: str) -> _Address:
    parts = urlsplit(url)
    scheme = _ALIASES.get(parts.scheme.lower(), parts.scheme.lower())
    return _Address(url, scheme, url if scheme.startswith("http") else url.partition("://")[2].rstrip("/"))


def _system(address: _Address) -> Any:
    """Arrow's file system for an address; credentials are those that the tools of the store use."""
    from pyarrow import fs  # noqa: PLC0415  # only for what is far away

    if address.scheme == "file":
        return fs.LocalFileSystem()
    if address.scheme == "s3":
        return _s3(address.place.partition("/")[0])
    if address.scheme in {"gs", "abfs"}:
        with _answering(address):
            system, _ = fs.FileSystem.from_uri(address.url)
            return system
    return _through_fsspec(address)


def _s3(bucket: str) -> Any:
    from pyarrow import fs  # noqa: PLC0415  # only for what is far away

    endpoint = os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL")
    region = os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION")
    if region is None and endpoint is None:
        try:
            region = fs.resolve_s3_region(bucket)
        except OSError:  # what is asked next says more
            region = None
    return fs.S3FileSystem(
        anonymous=os.environ.get("AWS_NO_SIGN_REQUEST", "").lower() in {"1", "true", "yes"},
        region=region,
        endpoint_override=endpoint,
        connect_timeout=_CONNECT,
        request_timeout=_ANSWER,
        retry_strategy=fs.AwsStandardS3RetryStrategy(max_attempts=_TRIES),
    )


def _through_fsspec(address: _Address) -> Any:
    """Any other store that fsspec knows, the web among them."""
    from pyarrow.fs import FSSpecHandler, PyFileSystem  # noqa: PLC0415  # only for what is far away

    try:
        import fsspec  # noqa: PLC0415  # optional

        system = fsspec.filesystem(address.scheme, **_patience(address))
    except ModuleNotFoundError:
        raise MissingExtraError("fsspec and aiohttp", "remote", address.url) from None
    except ImportError as error:  # it says what to install
        raise InputError(f"{address.url} cannot be read yet: {error}") from None
    except ValueError:
        known = "s3://, gs://, abfs://, https:// or file://"
        raise InputError(f"{address.url} begins with {address.scheme}://, which no store has; use {known}") from None
    return PyFileSystem(FSSpecHandler(system))


def _patience(address: _Address) -> dict[str, Any]:
    """How long fsspec waits for the web; without that, five minutes."""
    if not _is_web(address):
        return {}
    from aiohttp import ClientTimeout  # noqa: PLC0415  # optional

    return {"client_kwargs": {"timeout": ClientTimeout(total=None, sock_connect=_CONNECT, sock_read=_ANSWER)}}


@contextmanager
def _answering(address: _Address) -> Iterator[None]:
    """Turn what a store answers into an error that says what to do.

    Raises
    ------
    InputError
        It does not answer, or refuses.
    """
    try:
        yield
    except (OSError, ValueError) as error:
        reason = beginning(" ".join(str(error).split()), _LONGEST)
        raise InputError(f"{address.url} cannot be read: {reason}{_advice(address, str(error))}") from error


def _advice(address: _Address, reason: str) -> str:
    """What to do."""
    credentials = _CREDENTIALS.get(address.scheme)
    if credentials and re.search(
        r"ACCESS_DENIED|403|Forbidden|credential|InvalidAccessKey|SignatureDoesNotMatch", reason
    ):
        public = "; for public data set AWS_NO_SIGN_REQUEST=1" if address.scheme == "s3" else ""
        return f"; give credentials ({credentials}){public}"
    return "; check the address and the network"
