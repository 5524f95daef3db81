"""Where a server listens, and what it allows."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar

from podium.cli.option.option import option

if TYPE_CHECKING:
    from podium.server.settings import Settings

#: Bytes of a megabyte, in which limits are told.
_MB = 2**20


@dataclass(frozen=True, slots=True)
class ServeOptions:
    """Where it listens, where it keeps what it is sent, and its limits."""

    heading: ClassVar[str] = "Output"

    folder: Annotated[
        Path, option("--folder", metavar="FOLDER", meaning="Where uploads and answers are kept, and found again.")
    ] = Path("podium-served")
    host: Annotated[
        str, option("--host", metavar="ADDRESS", meaning="Where to listen. For other machines set PODIUM_TOKEN, too.")
    ] = "127.0.0.1"
    port: Annotated[int, option("--port", metavar="N", min=0, meaning="Which port; 0 is any that is free.")] = 8000
    browser: Annotated[bool, option("--browser/--no-browser", meaning="Open a browser.")] = True
    quiet: Annotated[bool, option("--quiet", "-q", meaning="Print only errors on standard error.")] = False
    upload_limit: Annotated[
        int, option("--upload-limit", metavar="MB", min=1, meaning="Size of one upload.", heading="Limits")
    ] = 1024
    folder_limit: Annotated[
        int, option("--folder-limit", metavar="MB", min=1, meaning="Size of the folder.", heading="Limits")
    ] = 20 * 1024
    memory_limit: Annotated[
        int, option("--memory-limit", metavar="MB", min=512, meaning="Memory of each job.", heading="Limits")
    ] = 8 * 1024
    time_limit: Annotated[
        float, option("--time-limit", metavar="SECONDS", min=1, meaning="Time of each job.", heading="Limits")
    ] = 3600.0
    jobs: Annotated[int, option("--jobs", metavar="N", min=1, meaning="Jobs at once.", heading="Limits")] = 2

    @property
    def settings(self) -> "Settings":
        """The same as a server takes it; the token comes from the surroundings, where `ps` does not show it.

        Raises
        ------
        InputError
            Others could reach it without a token, or the token is short.
        """
        from podium.server.settings import Settings  # noqa: PLC0415  # only where something is served

        return Settings(
            self.folder,
            host=self.host,
            port=self.port,
            token=os.environ.get("PODIUM_TOKEN") or None,
            upload_bytes=self.upload_limit * _MB,
            folder_bytes=self.folder_limit * _MB,
            job_bytes=self.memory_limit * _MB,
            job_seconds=self.time_limit,
            jobs=self.jobs,
        )
