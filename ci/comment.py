"""Write a file as the one comment of podium on a pull request, over that of an earlier run: `comment.py FILE`.

What cannot be written is a warning and no failure: a token of a fork may only read, and the job summary says the same.
"""

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

#: Comments that one answer holds, and pages of these that are looked at.
_PAGE, _PAGES = 100, 30


def ask(path: str, method: str = "GET", **content: str) -> Any:
    """Ask the REST API of GitHub.

    Raises
    ------
    URLError
        It does not answer, or refuses; then it is an HTTPError.
    """
    request = Request(  # noqa: S310  # the runner names the place
        f"{os.environ['GITHUB_API_URL']}{path}",
        json.dumps(content).encode() if content else None,
        {
            "Accept": "application/vnd.github+json",
            "Authorization": f"Bearer {os.environ['GITHUB_TOKEN']}",
            "Content-Type": "application/json",
            "X-GitHub-Api-Version": "2022-11-28",
        },
        method=method,
    )
    with urlopen(request, timeout=30) as answer:  # noqa: S310  # the same
        return json.load(answer)


def pull_request() -> int | None:
    """Return the number of the pull request that started the run, or None."""
    event = json.loads(Path(os.environ["GITHUB_EVENT_PATH"]).read_text("utf-8"))
    number = (event.get("pull_request") or {}).get("number")
    return None if number is None else int(number)


def write(repository: str, number: int, text: str) -> None:
    """Replace the comment that an earlier run wrote, which has the same first line, or write the first.

    Raises
    ------
    URLError
        GitHub does not answer, or refuses.
    """
    mine = next(_mine(f"/repos/{repository}/issues/{number}/comments", text.partition("\n")[0]), None)
    if mine is None:
        ask(f"/repos/{repository}/issues/{number}/comments", "POST", body=text)
    else:
        ask(f"/repos/{repository}/issues/comments/{mine}", "PATCH", body=text)


def _mine(path: str, first: str) -> Iterator[int]:
    """Numbers of comments with this first line that the owner of the token wrote; anybody may write the line."""
    try:
        owner = ask("/user")["login"]
    except HTTPError:  # the token of a run is no user's
        owner = None
    for page in range(1, _PAGES + 1):
        found = ask(f"{path}?per_page={_PAGE}&page={page}")
        for one in found:
            user = one.get("user") or {}
            own = user.get("login") == owner if owner else user.get("type") == "Bot"
            if own and (one.get("body") or "").startswith(first):
                yield int(one["id"])
        if len(found) < _PAGE:
            return


def main() -> None:
    """Write the comment, if there is a pull request."""
    number = pull_request()
    if number is None:
        print("no pull request started this run, so there is no comment")
        return
    try:
        write(os.environ["GITHUB_REPOSITORY"], number, Path(sys.argv[1]).read_text("utf-8"))
    except HTTPError as error:
        print(
            f"::warning::podium cannot comment (HTTP {error.code}); the job needs permissions: pull-requests: write, "
            "which runs of forks do not have; the summary of the job has the result"
        )
    except (URLError, TimeoutError, ValueError) as error:
        print(f"::warning::podium cannot comment: {type(error).__name__}; the summary of the job has the result")


if __name__ == "__main__":
    main()
