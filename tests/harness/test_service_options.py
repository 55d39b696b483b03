"""What names a service on the command line, and the file that says how it is spoken to."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from counterproof.certify.request import Request, RequestError, ServiceOptions
from counterproof.service.deployment import ServiceTarget
from counterproof.service.mapping import (
    MappingError,
    ServiceMapping,
    put_in,
    taken_from,
)

URL = "http://127.0.0.1:8123"


def refused(target: str = URL, **given: object) -> str:
    """The sentence a request is refused with."""
    with pytest.raises(RequestError) as caught:
        Request(target, service=ServiceOptions(**given)).where()  # type: ignore[arg-type]  # by name
    return str(caught.value)


class TestTarget:
    """The address and its options."""

    def test_an_address_is_a_service(self) -> None:
        found = Request(f"{URL}/", service=ServiceOptions(start="node it.mjs 8123")).where()
        assert isinstance(found, ServiceTarget)
        assert (found.url, found.start, found.kind, found.transport) == (
            URL, "node it.mjs 8123", "service", "http",
        )  # fmt: skip

    def test_credentials_stand_in_no_representation(self) -> None:
        options = ServiceOptions(headers=("Authorization=Bearer sesame",))
        found = Request(URL, service=options).where()
        assert isinstance(found, ServiceTarget)
        assert found.headers == {"Authorization": "Bearer sesame"}
        assert "sesame" not in repr(found) + repr(options)

    @pytest.mark.parametrize(
        "url", ["http://example.com", "http://10.0.0.1:80", "https://[2001:db8::1]:443"]
    )
    def test_another_machine_needs_leave(self, url: str) -> None:
        assert "another machine" in refused(url)
        assert isinstance(Request(url, service=ServiceOptions(remote=True)).where(), ServiceTarget)

    @pytest.mark.parametrize("url", ["http://localhost:1", "http://[::1]:1", "http://127.9.9.9:1"])
    def test_this_machine_needs_none(self, url: str) -> None:
        assert isinstance(Request(url).where(), ServiceTarget)

    @pytest.mark.parametrize(
        ("url", "told"),
        [
            ("http://127.0.0.1:port", "the port is no number"),
            ("http://", "give scheme, host and port only"),
            ("http://127.0.0.1:1/?a=b", "give scheme, host and port only"),
            ("http://me:word@127.0.0.1:1", "give scheme, host and port only"),
        ],
    )
    def test_what_is_no_address(self, url: str, told: str) -> None:
        assert told in refused(url)

    @pytest.mark.parametrize(
        ("given", "told"),
        [
            ({"start": "node 'it"}, "--start: No closing quotation"),
            ({"start": "  "}, "--start: the command is empty"),
            ({"headers": ("Authorization",)}, "--header: give NAME=VALUE"),
            ({"headers": ("A=b\nc",)}, "--header A: it holds what no header can"),
            ({"mapping": "nowhere.toml"}, "nowhere.toml: it cannot be read"),
        ],
    )
    def test_what_cannot_be(self, given: dict[str, Any], told: str) -> None:
        assert told in refused(**given)

    def test_the_command_needs_a_port_to_listen_at(self) -> None:
        assert "name the port" in refused("http://127.0.0.1", start="it")

    def test_options_of_a_service_are_for_services(self) -> None:
        assert refused("reference", start="it").startswith("--start: it is for a service")

    def test_an_interpreter_is_not(self) -> None:
        with pytest.raises(RequestError, match="--python: a service runs in its own process"):
            Request(URL, python="python3").where()

    def test_a_world_is_told_where_the_command_takes_one(self) -> None:
        one = ServiceTarget(URL, start="it --data {world}")
        assert (one.takes_worlds, ServiceTarget(URL, start="it").takes_worlds) == (True, False)
        assert ServiceTarget(URL).reopens is False
        assert any("knows no answer by heart" in each for each in ServiceTarget(URL).unproved)
        assert not any("knows no answer by heart" in each for each in one.unproved)


class TestMapping:
    """The file."""

    def read(self, folder: Path, text: str) -> ServiceMapping:
        file = folder / "service.toml"
        file.write_text(text, encoding="utf-8")
        return ServiceMapping.read(file)

    def test_an_empty_file_is_the_contract(self, tmp_path: Path) -> None:
        found = self.read(tmp_path, "")
        assert found == ServiceMapping()
        assert (found.ask.path, found.stream and found.stream.path) == (
            "/v1/ask", "/v1/ask/stream",
        )  # fmt: skip
        assert "session" not in found.claims

    def test_everything_can_be_named(self, tmp_path: Path) -> None:
        found = self.read(
            tmp_path,
            """
            name = "desk"
            channels = ["narrative"]
            claims = ["restricted"]
            volatile = ["trace_id"]
            at_once = 1
            health = "/ready"
            [ask]
            path = "/chat"
            question = "input.text"
            history = "input.turns"
            turns = "objects"
            role = "from"
            text = "said"
            body = {user = "kit"}
            [answer]
            text = "output.text"
            [stream]
            path = "/chat/stream"
            done = "end"
            [tool]
            name = "lookup"
            arguments = {who = "{entity}"}
            """,
        )
        assert (found.ask.turns, found.answer.text, found.at_once) == ("objects", "output.text", 1)
        assert found.tool is not None
        assert found.tool.arguments == {"who": "{entity}"}

    @pytest.mark.parametrize(
        ("text", "told"),
        [
            ("a = ", "it is no TOML"),
            ('pth = "/"', "pth: Extra inputs are not permitted"),
            ('[ask]\npth = "/"', "ask.pth: Extra inputs are not permitted"),
            ('[ask]\nturns = "strings"', "ask.turns: Input should be 'pairs' or 'objects'"),
            ('channels = ["figures"]', "channels: Value error, 'figures' is not one of"),
            ("channels = []", "is not one of narrative, structured"),
            ('claims = ["session"]', "claims: Value error, 'session' is not one of"),
            ('volatile = ["text"]', "volatile: Value error, text may not be masked"),
            ("at_once = 0", "at_once: Input should be greater than or equal to 1"),
        ],
    )
    def test_a_fault_is_named(self, tmp_path: Path, text: str, told: str) -> None:
        with pytest.raises(MappingError, match=r"service\.toml: ") as caught:
            self.read(tmp_path, text)
        assert told in str(caught.value)

    def test_fields_lead_into_objects(self) -> None:
        body: dict[str, object] = {"input": {"user": "kit"}}
        put_in(body, "input.text", "?")
        put_in(body, "history", None)
        assert body == {"input": {"user": "kit", "text": "?"}, "history": None}
        assert taken_from(body, "input.text") == "?"
        assert taken_from(body, "history", "left out") is None
        assert taken_from(body, "input.text.more", "left out") == "left out"
