"""The service a user names, from the options of the command line."""

from __future__ import annotations

import ipaddress
import shlex
from pathlib import Path
from urllib.parse import urlsplit

from counterproof.certify.request import ServiceOptions
from counterproof.service.deployment import ServiceTarget
from counterproof.service.mapping import ServiceMapping


def target_of(url: str, options: ServiceOptions) -> ServiceTarget:
    """How the service at an address is reached.

    Args:
        url: its address.
        options: what else was given.

    Raises:
        ValueError: an address, a command, a header or a mapping that cannot be used; the message
            says which, and what to do.
    """
    parts = urlsplit(url)
    try:
        port = parts.port
    except ValueError:
        raise ValueError(f"{url}: the port is no number") from None
    if not parts.hostname or parts.query or parts.fragment or parts.username:
        raise ValueError(f"{url}: give scheme, host and port only, such as http://127.0.0.1:8123")
    if not options.remote and not _loopback(parts.hostname):
        raise ValueError(
            f"{url}: the service is on another machine; give --remote if what is asked, the"
            " restricted words of the world included, may go there"
        )
    if port is None and options.start is not None:
        raise ValueError(f"{url}: name the port that --start has it listen at")
    mapping = (
        ServiceMapping() if options.mapping is None else ServiceMapping.read(Path(options.mapping))
    )
    return ServiceTarget(
        url=url.rstrip("/"),
        start=_command(options.start),
        mapping=mapping,
        headers=dict(_header(each) for each in options.headers),
        model_port=options.model_port or 0,
    )


def _loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _command(given: str | None) -> str | None:
    if given is None:
        return None
    try:
        words = shlex.split(given)
    except ValueError as error:
        raise ValueError(f"--start: {error}: {given}") from None
    if not words:
        raise ValueError("--start: the command is empty")
    return given


def _header(given: str) -> tuple[str, str]:
    name, equals, value = given.partition("=")
    if not equals or not name.strip():
        raise ValueError("--header: give NAME=VALUE")
    if not (name.isascii() and name.isprintable() and value.isprintable()):
        raise ValueError(f"--header {name}: it holds what no header can")
    return name.strip(), value
