"""The command line: `podium rank scores.csv`."""

import signal
import sys


def main() -> None:
    """Run the command line and leave with its exit code, also if it is interrupted while it loads or ends."""
    try:
        from podium.cli import entry  # noqa: PLC0415  # most of the start; an interruption may come in it

        entry.main()
    except KeyboardInterrupt:
        sys.stderr.write("error: interrupted\n")
        sys.exit(130)
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # nothing is left to do
