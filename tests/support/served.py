"""A server in this process, and what tests ask of it."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from fastapi.testclient import TestClient

from podium.cli.serve import offered
from podium.server.app import make_app
from podium.server.guard import Settings

TABLE = b"task,system,instance,score\n" + b"".join(
    f"t{task},s{system},{instance},{(task + system * instance) % 7}\n".encode()
    for task in range(3)
    for system in range(4)
    for instance in range(12)
)

VERBS = tuple(offered())

#: Seconds in which a job of a test ends, also on a busy machine.
PATIENCE = 120.0


@contextmanager
def served(folder: Path, **limits: Any) -> Iterator[TestClient]:
    with TestClient(make_app(Settings(folder, **limits), VERBS), base_url="http://127.0.0.1:8000") as client:
        yield client


def send(client: TestClient, name: str = "scores.csv", content: bytes = TABLE) -> str:
    answer = client.post("/api/uploads", params={"name": name}, content=content)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["number"])


def ask(client: TestClient, verb: str, *uploads: str, **options: Any) -> dict[str, Any]:
    options = {name.replace("_", "-"): value for name, value in options.items()}
    answer = client.post(f"/api/verbs/{verb}", json={"uploads": list(uploads), "options": options})
    assert answer.status_code == 202, answer.text
    found: dict[str, Any] = answer.json()
    return found


def ended(client: TestClient, job: dict[str, Any]) -> dict[str, Any]:
    return until(client, job, lambda now: now["state"] not in {"waiting", "running"})


def until(client: TestClient, job: dict[str, Any], reached: Any) -> dict[str, Any]:
    start = time.monotonic()
    while not reached(now := client.get(f"/api/jobs/{job['number']}").json()):
        assert time.monotonic() - start < PATIENCE, now
        time.sleep(0.05)
    found: dict[str, Any] = now
    return found
