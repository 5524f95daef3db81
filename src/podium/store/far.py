"""Files on object storage, by the client that Delta Lake has: so log and files have the same credentials."""

from typing import Any

import pyarrow as pa


class _Bytes:
    """A stream that is written to with bytes alone."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    @property
    def closed(self) -> bool:
        """Whether it is closed."""
        return bool(self._stream.closed)

    def write(self, data: Any) -> int:
        """Write bytes."""
        content = bytes(data)
        self._stream.write(content)
        return len(content)

    def flush(self) -> None:
        """Write what waits."""
        self._stream.flush()

    def close(self) -> None:
        """End the file."""
        self._stream.close()


def file_system(url: str, options: dict[str, str] | None) -> Any:
    """Return the files at an address as Arrow's file system, which hands bytes to the client when it writes."""
    from deltalake.fs import DeltaStorageHandler  # noqa: PLC0415  # optional
    from pyarrow.fs import PyFileSystem  # noqa: PLC0415  # only for what is far away

    class Handler(DeltaStorageHandler):  # type: ignore[misc]  # it ships no types that are read
        """The client, with another way to write."""

        def open_output_stream(self, path: str, metadata: dict[str, str] | None = None) -> Any:
            """Open a file to be written."""
            return pa.PythonFile(_Bytes(self._handler.open_output_stream(path, metadata)), mode="w")

    return PyFileSystem(Handler(url, options))
