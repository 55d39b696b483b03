"""The service, in process: both routes, what is refused, and that nothing is done for it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from counterproof.worlds import builtin_world
from counterproof.worlds.export import export
from counterproof_reference.exported import DEFAULT, read
from counterproof_reference.knowledge import KnowledgeError
from counterproof_reference.result import EngineResult, Source
from counterproof_reference.service.app import create_app
from counterproof_reference.service.limits import Limits
from counterproof_reference.service.serving import opened

QUESTION = "香港 FY2025 的营收是多少？"


class Answering:
    """An engine that counts, and says what it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, Any]] = []
        self.error: Exception | None = None

    def __call__(self, question: str, **history: Any) -> EngineResult:
        self.asked.append((question, history.get("history", "left out")))
        if self.error is not None:
            raise self.error
        return EngineResult(
            text="Forty characters and a few more of them." * 2,
            plain="Forty.",
            route="structured",
            sources=(Source("a.md", "p1"),),
            tool_results=({"status": "found"},),
        )


@pytest.fixture
def engine() -> Answering:
    """The engine behind the service."""
    return Answering()


@pytest.fixture
def client(engine: Answering) -> Iterator[TestClient]:
    """A client of the service."""
    limits = Limits(body=2_000, turns=3, text=200)
    with TestClient(create_app(engine, limits), raise_server_exceptions=False) as made:
        yield made


def events(text: str) -> list[tuple[str, Any]]:
    """Name and data of each event of a stream."""
    blocks = [each.split("\n") for each in text.replace("\r", "").strip().split("\n\n")]
    told = [dict(line.split(": ", 1) for line in block) for block in blocks]
    return [(each["event"], json.loads(each["data"])) for each in told]


class TestAsk:
    """Good requests."""

    @pytest.mark.parametrize(
        ("given", "passed"),
        [({}, "left out"), ({"history": None}, "left out"), ({"history": []}, [])],
    )
    def test_history_is_left_out_in_three_ways(
        self, client: TestClient, engine: Answering, given: dict[str, Any], passed: Any
    ) -> None:
        found = client.post("/v1/ask", json={"question": QUESTION, **given}).json()
        assert (found["route"], found["sources"]) == (
            "structured", [{"doc": "a.md", "locator": "p1"}],
        )  # fmt: skip
        assert engine.asked == [(QUESTION, passed)]

    def test_turns_arrive_as_pairs(self, client: TestClient, engine: Answering) -> None:
        turns = [["user", " a\n"], ["tool", ""]]
        assert client.post("/v1/ask", json={"question": "?", "history": turns}).status_code == 200
        assert engine.asked == [("?", [("user", " a\n"), ("tool", "")])]

    def test_the_stream_replays_the_answer(self, client: TestClient, engine: Answering) -> None:
        asked = {"question": "?", "history": [["user", "a"]]}
        whole = client.post("/v1/ask", json=asked).json()
        response = client.post("/v1/ask/stream", json=asked)
        told = events(response.text)
        assert response.headers["content-type"].startswith("text/event-stream")
        assert [name for name, _ in told] == ["start", *["delta"] * (len(told) - 2), "done"]
        assert len(told) > 4
        assert "".join(data["text"] for name, data in told if name == "delta") == whole["answer"]
        for name in ("route", "sources", "refused", "plain", "tool_results"):
            assert told[-1][1][name] == whole[name]

    def test_health_and_its_own_description(self, client: TestClient) -> None:
        assert client.get("/health").json() == {"status": "ok"}
        assert "/v1/ask/stream" in client.get("/openapi.json").json()["paths"]


MALFORMED: list[tuple[Any, str]] = [
    ({"question": 7}, "body.question"),
    ({"question": ""}, "body.question"),
    ({}, "body.question"),
    ({"question": "?", "history": "text"}, "body.history"),
    ({"question": "?", "history": {"a": 1}}, "body.history"),
    ({"question": "?", "history": [["user", "a"], {"role": "user", "content": "b"}]},
     "body.history.1"),
    ({"question": "?", "history": [["user", "a", "b"]]}, "body.history.0"),
    ({"question": "?", "history": [["user", 1]]}, "body.history.0.1"),
    ({"question": "?", "history": [["user", None]]}, "body.history.0.1"),
    ({"question": "?", "history": [["user", "a"], 3]}, "body.history.1"),
    ({"question": "?", "hist": []}, "body.hist"),
]  # fmt: skip


class TestRefused:
    """Malformed requests, over both routes."""

    @pytest.mark.parametrize("path", ["/v1/ask", "/v1/ask/stream"])
    @pytest.mark.parametrize(("body", "where"), MALFORMED)
    def test_the_fault_is_named(
        self, client: TestClient, engine: Answering, path: str, body: Any, where: str
    ) -> None:
        response = client.post(path, json=body)
        assert response.status_code == 422
        assert where in [each["where"] for each in response.json()["detail"]]
        assert engine.asked == []

    @pytest.mark.parametrize(
        "body", [b"{", b"", b'{"question": "\xff\xfe"}', b"[" * 100, b"null", b"[]", b'"?"']
    )
    def test_what_is_no_request(self, client: TestClient, engine: Answering, body: bytes) -> None:
        for path in ("/v1/ask", "/v1/ask/stream"):
            response = client.post(path, content=body, headers={"content-type": "application/json"})
            assert 400 <= response.status_code < 500
            assert response.json()["detail"]
        assert engine.asked == []

    @pytest.mark.parametrize(
        ("body", "told"),
        [
            ({"question": "?", "history": [["user", "a"]] * 4},
             ("body.history", "it has 4 turns; 3 is the most")),
            ({"question": "a" * 201},
             ("body.question", "it has 201 characters; 200 is the most")),
            ({"question": "?", "history": [["user", "a"], ["user", "a" * 201]]},
             ("body.history.1.1", "it has 201 characters; 200 is the most")),
            ({"question": "?", "x": "a" * 2_000}, ("body", "it has more than 2000 bytes")),
        ],
    )  # fmt: skip
    def test_limits_are_told(
        self, client: TestClient, engine: Answering, body: Any, told: tuple[str, str]
    ) -> None:
        for path in ("/v1/ask", "/v1/ask/stream"):
            response = client.post(path, json=body)
            assert response.status_code == 413
            assert response.json() == {"detail": [{"where": told[0], "what": told[1]}]}
        assert engine.asked == []

    def test_at_the_limits_it_answers(self, client: TestClient) -> None:
        turns = [["user", "a" * 200]] * 3
        assert client.post("/v1/ask", json={"question": "?", "history": turns}).status_code == 200

    def test_an_error_nobody_foresaw_is_no_stream(
        self, client: TestClient, engine: Answering
    ) -> None:
        engine.error = KeyError("sesame")
        for path in ("/v1/ask", "/v1/ask/stream"):
            response = client.post(path, json={"question": "?"})
            assert (response.status_code, response.json()) == (
                500, {"detail": [{"where": "service", "what": "internal error (KeyError)"}]},
            )  # fmt: skip

    def test_what_was_sent_is_not_repeated(self, client: TestClient) -> None:
        body = {"question": "?", "history": [["user", ["sesame"]]]}
        assert "sesame" not in client.post("/v1/ask", json=body).text


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["role", "content", "text", "question"]), inner, max_size=3
        )
    ),
    max_leaves=8,
)


def good(turns: Any) -> bool:
    """Whether this is a history."""
    return turns is None or (
        isinstance(turns, list)
        and all(
            isinstance(each, list) and len(each) == 2 and all(isinstance(x, str) for x in each)
            for each in turns
        )
    )


def whatever_is_sent(client: TestClient, engine: Answering, body: Any) -> None:
    """A history gets an answer; anything else a 4xx, no call, and the next ask its answer."""
    engine.asked.clear()
    history = body.get("history") if isinstance(body, dict) else body
    response = client.post("/v1/ask", json=body)
    if isinstance(body, dict) and good(history) and len(history or ()) <= 3:
        assert response.status_code == 200, body
    else:
        assert 400 <= response.status_code < 500, (body, response.text)
        assert engine.asked == []
    assert client.post("/v1/ask", json={"question": "?"}).status_code == 200


@pytest.mark.parametrize(
    "examples", [300, pytest.param(5_000, marks=[pytest.mark.slow, pytest.mark.exhaustive])]
)
def test_malformed_bodies_by_property(examples: int) -> None:
    """SVC-5: no 5xx, no model call, and it still answers."""
    engine = Answering()
    histories = JSON | st.lists(st.lists(JSON, min_size=2, max_size=2), max_size=3)
    bodies = histories.map(lambda turns: {"question": "?", "history": turns}) | JSON.filter(
        lambda body: not isinstance(body, dict)
    )

    @settings(
        max_examples=examples, derandomize=True, deadline=None, database=None,
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(bodies)
    def run(body: Any) -> None:
        whatever_is_sent(asking, engine, body)

    app = create_app(engine, Limits(turns=3))
    with TestClient(app, raise_server_exceptions=False) as asking:
        run()


class TestExport:
    """What the service is opened over."""

    def test_the_export_that_ships_is_the_built_in_worlds(self, tmp_path: Path) -> None:
        names = export(builtin_world(0), tmp_path)
        for name in names:
            assert (DEFAULT / name).read_bytes() == (tmp_path / name).read_bytes(), name
        shipped = [each for each in DEFAULT.rglob("*") if each.is_file()]
        assert len(shipped) == len(names)

    def test_another_world_is_read(self, tmp_path: Path) -> None:
        world = builtin_world(5)
        export(world, tmp_path)
        found = read(tmp_path)
        assert [each.value for each in found.knowledge.facts] == [f.value for f in world.facts]
        assert [each.text for each in found.knowledge.passages] == [p.text for p in world.passages]
        with ExitStack() as stack:
            answer, _ = opened(tmp_path, "any", None, stack)
            asked = world.probe("structured_hit")
            assert f"{asked.values[0]:.0f}" in answer(asked.question).text.replace(",", "")

    @pytest.mark.parametrize(
        ("name", "text", "told"),
        [
            ("world.json", None, "No such file"),
            ("facts.json", "{", "it is no JSON"),
            ("facts.json", '[{"entity": "HK"}]', "facts.0"),
            ("world.json", "{}", "it is no export"),
            ("passages.json", '[{"doc": "a"}]', "it is no export"),
        ],
    )
    def test_what_is_no_export(
        self, tmp_path: Path, name: str, text: str | None, told: str
    ) -> None:
        export(builtin_world(0), tmp_path)
        if text is None:
            (tmp_path / name).unlink()
        else:
            (tmp_path / name).write_text(text)
        with pytest.raises(KnowledgeError, match=told):
            read(tmp_path)
