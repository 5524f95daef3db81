"""Who may ask: the name of the server, other origins, the token; what browsers may do with the answers."""

from ipaddress import IPv4Address
from pathlib import Path

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from starlette.routing import Route

from podium.base.errors import InputError
from podium.server.app import make_app
from podium.server.guard import Settings
from support.served import VERBS, send, served

TOKEN = "a-token-of-some-letters"  # noqa: S105  # of tests

EVERYWHERE = str(IPv4Address(0))


def test_only_the_own_name_is_answered(tmp_path: Path) -> None:
    with served(tmp_path) as client:
        for host in ("127.0.0.1:8000", "localhost:8000", "localhost", "[::1]:8000"):
            assert client.get("/api/limits", headers={"Host": host}).status_code == 200
        for host in ("evil.example", "127.0.0.1.evil.example:8000", "", "[", "a b", "localhost.evil.example"):
            answer = client.get("/api/limits", headers={"Host": host})
            assert answer.status_code == 400
            assert "goes by another name" in answer.json()["error"]["message"]


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 404),
        ({"Origin": "http://127.0.0.1:8000", "Sec-Fetch-Site": "same-origin"}, 404),
        ({"Origin": "http://127.0.0.1:8001"}, 403),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
    ],
)
def test_pages_of_others_change_nothing(tmp_path: Path, headers: dict[str, str], status: int) -> None:
    with served(tmp_path) as client:
        assert client.delete(f"/api/uploads/{'0' * 16}", headers=headers).status_code == status
        assert client.get("/api/uploads", headers=headers).status_code == 200


def test_every_answer_forbids_what_pages_do_not_need(tmp_path: Path) -> None:
    with served(tmp_path) as client:
        for path in ("/", "/api/uploads", "/nothing", "/assets/page.js", f"/api/jobs/{'0' * 16}"):
            headers = client.get(path).headers
            policy = headers["content-security-policy"]
            assert policy.startswith("default-src 'none'; script-src 'self';")
            assert "unsafe" not in policy
            assert headers["x-content-type-options"] == "nosniff"
        page = client.get("/").text
        assert "<script>" not in page
        assert "<style" not in page
        assert page.count("<script") == 1
        assert "</script" not in client.get("/assets/page.js").text


def test_a_token_opens_everything_and_nothing_opens_without(tmp_path: Path) -> None:
    with served(tmp_path, token=TOKEN, host=EVERYWHERE) as client:
        assert isinstance(client.app, FastAPI)
        routes = [route for route in client.app.routes if isinstance(route, Route)]
        assert len(routes) == len(client.app.routes)
        paths = [route.path.replace("{number}", "0" * 16) for route in routes]
        style = paths.pop(paths.index("/assets/page.css"))  # of the page that asks for the token
        assert client.get(style).status_code == 200
        assert len(paths) >= 12
        for path in paths:
            for method in ("GET", "POST", "DELETE"):
                answer = client.request(method, path)
                assert answer.status_code == 401, path
                assert answer.json()["error"]["status"] == 401
        for wrong in (TOKEN[:-1], TOKEN + "x", "", "é"):
            headers = {b"Authorization": f"Bearer {wrong}".encode("latin-1")}
            assert client.get("/", headers=headers).status_code == 401
            assert client.get("/", params={"token": wrong}).status_code == 401
        assert client.get("/api/uploads", headers={"Authorization": f"Bearer {TOKEN}"}).status_code == 200
        assert client.get(
            "/api/uploads", headers={"Host": "any.example", "Authorization": f"bearer {TOKEN}"}
        ).is_success
        away = client.get("/api/uploads", params={"token": TOKEN, "a": "b"}, follow_redirects=False)
        assert (away.status_code, away.headers["location"]) == (303, "/api/uploads?a=b")
        cookie = away.headers["set-cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=strict" in cookie
        assert client.get("/api/uploads").status_code == 200  # the cookie is kept
        assert send(client)


def test_others_are_served_with_a_token_only(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="set PODIUM_TOKEN"):
        Settings(tmp_path, host=EVERYWHERE)
    with pytest.raises(InputError, match="at least 16"):
        Settings(tmp_path, token=TOKEN[:15])
    assert TOKEN not in repr(Settings(tmp_path, host=EVERYWHERE, token=TOKEN))
    for host, local in (("127.0.0.1", True), ("::1", True), ("localhost", True), ("10.0.0.1", False), ("x.org", False)):
        assert Settings(tmp_path, host=host, token=TOKEN).is_local == local


def test_a_link_opens_once_and_soon(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    app = make_app(Settings(tmp_path, token=TOKEN), VERBS, once="a-link")
    with TestClient(app, base_url="http://127.0.0.1:8000", follow_redirects=False) as client:
        for wrong in ("a-lin", "", "a-link2", "é"):
            assert client.get("/", params={"once": wrong}).status_code == 401
        assert client.post("/api/uploads", params={"once": "a-link", "name": "a.csv"}).status_code == 401
        assert client.get("/", params={"once": "a-link"}).headers["location"] == "/"
        assert client.get("/").status_code == 200  # by the cookie
        client.cookies.clear()
        assert client.get("/", params={"once": "a-link"}).status_code == 401
    monkeypatch.setattr("podium.server.guard.ONCE", -1.0)
    with TestClient(make_app(Settings(tmp_path, token=TOKEN), VERBS, once="a-link")) as client:
        assert client.get("/", params={"once": "a-link"}, headers={"Host": "127.0.0.1"}).status_code == 401


def test_two_servers_of_one_machine_keep_their_cookies(tmp_path: Path) -> None:
    jar: dict[str, str] = {}
    for port in (8001, 8002, 8001):
        token = f"{TOKEN}-{port}"
        app = make_app(Settings(tmp_path / str(port), token=token), VERBS)
        with TestClient(app, base_url=f"http://127.0.0.1:{port}", cookies=jar) as client:
            if not any(name.endswith(str(port)) for name in jar):
                assert client.get("/", params={"token": token}).status_code == 200
            assert client.get("/api/uploads").status_code == 200
            jar = dict(client.cookies)
    assert len(jar) == 2
