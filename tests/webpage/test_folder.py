"""A page as a folder: a web server that has only files shows it, and readers fetch what they look at."""

import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import pytest

import podium
from podium.errors import OutputError
from podium.webpage.shell import Page
from support import entry
from support.browser import in_chromium


def made(**options: Any) -> Page:
    rng = np.random.default_rng(0)
    right = (rng.random((4, 2, 80)) < np.linspace(0.4, 0.8, 4)[:, None, None]).astype(float)
    scores = podium.from_arrays({"<i>t</i>": right[:, 0], "u": right[:, 1]})
    return podium.page(scores, instances=True, n_resamples=40, **options)


def kinds(folder: Path) -> list[str]:
    """Names of the files, without the digests of what is in them."""
    return sorted(re.sub("-[0-9a-f]{16}", "", path.name) for path in folder.iterdir())


def test_a_folder_holds_one_page_and_what_others_put_there(tmp_path: Path) -> None:
    site = tmp_path / "new" / "site"
    made().save(f"{site}/")
    (site / "CNAME").write_text("example.org", "utf-8")
    (site / "data-0.bin").write_bytes(b"ours it is not")
    before = set(site.iterdir())
    made(title="another").save(site)
    kept = "CNAME data-0.bin data.bin index.html instances.bin page.css page.js words.bin"
    assert kinds(site) == kept.split()
    changed = {re.sub("-.*", "", path.name) for path in before - set(site.iterdir())}
    assert changed == {"data"}  # what has not changed keeps its name
    named = re.findall(r'(?:src|href|data-at)="([^":]+)"', (site / "index.html").read_text("utf-8"))
    assert {site / name for name in named} | {site / "index.html"} == {*site.iterdir()} - {
        site / "CNAME",
        site / "data-0.bin",
    }


def test_a_folder_that_cannot_be_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(OutputError, match="cannot be made"):
        made().save(f"{tmp_path}/file/site/")
    with pytest.raises(OutputError, match=r"board\.pdf: a page is HTML; end its name in \.html, or in a slash"):
        made().save(tmp_path / "board.pdf")


def test_the_command_fills_a_folder(tmp_path: Path) -> None:
    (tmp_path / "s.csv").write_text("system,t,u\na,1,2\nb,2,1\nc,3,4\n", "utf-8")
    (tmp_path / "other").mkdir()
    (tmp_path / "other/index.html").write_text("<!doctype html>", "utf-8")

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return entry.run(tmp_path, "page", "s.csv", *words)

    assert run("-o", "other").returncode == 0
    for _ in range(2):
        done = run("-o", "site/")
        assert done.returncode == 0
    assert "to try it: python -m http.server -d site/" in done.stderr
    kept = ["data.bin", "index.html", "page.css", "page.js", "words.bin"]
    assert kinds(tmp_path / "site") == kinds(tmp_path / "other") == kept
    done = run("-o", "site2")
    assert "name a file that ends in .html, or a folder, as site2/" in done.stderr


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


def seen(address: str, saved: Path) -> Any:
    return in_chromium("read-site.js", address, saved)


@pytest.mark.usefixtures("browser")
def test_readers_fetch_what_they_look_at(tmp_path: Path) -> None:
    made().save(f"{tmp_path}/site/")
    saved = tmp_path / "saved.html"
    with serving(tmp_path / "site") as address:
        served = seen(address, saved)
    fetched = [re.sub("-[0-9a-f]{16}", "", one.removeprefix(address)) for one in served["first"]]
    assert sorted(one for one in fetched if not one.startswith("blob:")) == ["", "data.bin", "page.css", "page.js"]
    assert [re.sub("-.*", "", one.removeprefix(address)) for one in served["later"]] == ["instances"]
    assert served["errors"] == []
    assert "points" in served["sentence"]
    with serving(tmp_path) as address:  # the file that a reader saves holds everything
        kept = seen(f"{address}saved.html", tmp_path / "again.html")
    assert (kept["rows"], kept["sentence"], kept["errors"]) == (served["rows"], served["sentence"], [])
    assert [one for one in kept["first"] if not one.startswith("blob:")] == [f"{address}saved.html"]
    assert kept["later"] == []
    said = seen((tmp_path / "site/index.html").as_uri(), saved)["said"]
    assert "This folder needs a web server." in said
