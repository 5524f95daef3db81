"""Commits: the next version of a table, written only if nobody else was faster."""

import json
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from typing import Any
from uuid import uuid4

from podium.base.errors import BoardError, OutputError
from podium.store.log import (
    COLUMNS,
    FORMAT,
    NAME,
    DataFile,
    Snapshot,
    file_of,
    is_of_delta,
    numbers,
    seal_of,
    version_in,
    witness_of,
)
from podium.store.place import Place, said

#: No version is forgotten, and none is written twice: files of the log that podium does not need could be damaged, too.
_SETTINGS = {"delta.enableExpiredLogCleanup": "false", "delta.checkpointInterval": "1000000000"}


class OvertakenError(Exception):
    """Somebody else has written the next version."""


def commit(
    place: Place,
    seen: Snapshot | None,
    info: Mapping[str, Any],
    *,
    added: Sequence[DataFile] = (),
    removed: Sequence[DataFile] = (),
    covariates: Sequence[str] = (),
) -> int:
    """Write the next version, if the newest is still the one that was seen; return its number.

    Parameters
    ----------
    seen
        The version that was looked at; None to make a board, with columns of these covariates.
    info
        What podium says of the version.
    added, removed
        Files of rows, which are there.

    Raises
    ------
    OvertakenError
        Somebody else has written the next version.
    OutputError
        It cannot be written.
    """
    info = {**info, "files": {one.name: dict(one.holds) for one in added}}
    sealed, nonce = _sealed(place, seen, info, added, removed), uuid4().hex
    properties = _properties(sealed | {"nonce": nonce})
    try:
        if seen is None:
            _create(place, added, covariates, properties, sealed["clock"])
        else:
            _append(seen, added, removed, properties, sealed["clock"])
    except Exception as error:
        if not is_of_delta(error):
            raise
        number = 0 if seen is None else seen.number + 1
        if _landed(place, number, nonce):
            return _witnessed(place, number)
        if "already exists" in str(error) or number in numbers(place):
            raise OvertakenError from error
        advice = "nothing was changed; make room, or check that you may write there"
        raise OutputError(f"{place.name} cannot be written: {said(error)}; {advice}") from error
    return _witnessed(place, 0 if seen is None else seen.number + 1)


def add_columns(place: Place, seen: Snapshot, names: Sequence[str], info: Mapping[str, Any]) -> None:
    """Give a board columns of further covariates, in a version of its own, see `commit`."""
    from deltalake import Field  # noqa: PLC0415  # it is there, since the board was opened

    properties = _properties(_sealed(place, seen, info, (), ()))
    try:
        seen.table.alter.add_columns([Field(name, "double") for name in names], **properties)
    except Exception as error:
        if not is_of_delta(error):
            raise
        if seen.number + 1 in numbers(place):
            raise OvertakenError from error
        raise OutputError(f"{place.name} cannot be written: {said(error)}; nothing was changed") from error
    _witnessed(place, seen.number + 1)


def _witnessed(place: Place, number: int) -> int:
    """Write the digest of a new version, and remove that of the one before, whose digest is in the new one."""
    with suppress(OSError, BoardError):  # the version is there, and this no more than helps to check it
        place.write(witness_of(number), sha256(place.read(file_of(number))).hexdigest().encode())
        place.remove(witness_of(number - 1))
    return number


def _landed(place: Place, number: int, nonce: str) -> bool:
    """Whether a version was written, though its answer was lost."""
    try:
        return version_in(place, number, place.read(file_of(number))).info.get("nonce") == nonce
    except BoardError:
        return False


def _sealed(
    place: Place,
    seen: Snapshot | None,
    info: Mapping[str, Any],
    added: Sequence[DataFile],
    removed: Sequence[DataFile],
) -> dict[str, Any]:
    now = int(time.time() * 1000)
    told: dict[str, Any] = {**info, "clock": now, "written": now, "before": None}
    if seen is not None:
        content = place.read(file_of(seen.number))
        told["before"] = sha256(content).hexdigest()
        told["written"] = max(now, version_in(place, seen.number, content).time + 1)  # though the clock goes back
    files = [[one.name, one.size, json.dumps(one.stats)] for one in added]
    return told | {"seal": seal_of(told, files, [one.name for one in removed])}


def _properties(told: Mapping[str, Any]) -> dict[str, Any]:
    from deltalake import CommitProperties, PostCommitHookProperties  # noqa: PLC0415  # optional

    said_of_it = {"podium": json.dumps(told)}
    return {
        "commit_properties": CommitProperties(custom_metadata=said_of_it, max_commit_retries=0),
        "post_commithook_properties": PostCommitHookProperties(create_checkpoint=False, cleanup_expired_logs=False),
    }


def _schema(covariates: Sequence[str]) -> Any:
    from deltalake import Field, Schema  # noqa: PLC0415  # optional

    columns = COLUMNS | dict.fromkeys(covariates, "double")
    return Schema([Field(name, kind) for name, kind in columns.items()])


def _added(files: Sequence[DataFile], now: int) -> list[Any]:
    from deltalake.transaction import AddAction  # noqa: PLC0415  # optional

    return [AddAction(one.name, one.size, {}, now, True, json.dumps(one.stats)) for one in files]


def _create(
    place: Place, added: Sequence[DataFile], covariates: Sequence[str], properties: dict[str, Any], now: int
) -> None:
    from deltalake.transaction import create_table_with_add_actions  # noqa: PLC0415  # optional

    create_table_with_add_actions(
        place.url,
        _schema(covariates),
        _added(added, now),
        mode="error",
        name=NAME,
        description=f"format {FORMAT}",
        configuration=_SETTINGS,
        storage_options=place.options,
        **properties,
    )


def _append(
    seen: Snapshot, added: Sequence[DataFile], removed: Sequence[DataFile], properties: dict[str, Any], now: int
) -> None:
    from deltalake.transaction import RemoveAction  # noqa: PLC0415  # optional

    gone = [RemoveAction(one.name, True, now, one.size, {}) for one in removed]
    seen.table.create_write_transaction([*gone, *_added(added, now)], "append", seen.table.schema(), **properties)
