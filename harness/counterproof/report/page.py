"""Lines on a console: wrapped under their label, and never more than the terminal can show."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

_NARROWEST = 24


class Page:
    """Prints labelled lines.

    Args:
        console: where to.
        verbose: whether to show more of each text.
    """

    def __init__(self, console: Console, *, verbose: bool) -> None:
        self.console = console
        self.verbose = verbose
        self.limit = 4000 if verbose else 400

    def title(self, text: str, style: str = "bold") -> None:
        """A section's title, with an empty line before it."""
        self.line(Text())
        self.line(Text(text, style=style))

    def put(
        self, label: str, value: Text | str, *, indent: int = 2, width: int = 10, style: str = "dim"
    ) -> None:
        """A label and its value; what does not fit goes on beneath the value.

        Args:
            label: safe to print.
            value: safe to print.
            indent: columns before the label.
            width: columns the label takes at least.
            style: the label's style.
        """
        head = Text(" " * indent).append(label, style=style)
        head.append(" " * max(1, width + indent + 1 - head.cell_len))
        text = Text(value) if isinstance(value, str) else value
        room = max(_NARROWEST, self.console.width - head.cell_len)
        for number, part in enumerate(text.wrap(self.console, room, overflow="fold") or [Text()]):
            part.rstrip()
            self.line((head if number == 0 else Text(" " * head.cell_len)) + part)

    def command(self, label: str, command: str, *, indent: int = 2, width: int = 10) -> None:
        """A command, in one line however long it is, so that it can be copied."""
        self.line(Text(" " * indent + label.ljust(width) + " ").append(command, style="bold"))

    def line(self, text: Text) -> None:
        """One line as it stands."""
        text.rstrip()
        encoding = self.console.encoding
        if not encoding.lower().startswith("utf"):
            # A log that cannot hold a character gets its escape, not a traceback.
            text = Text(text.plain.encode(encoding, "backslashreplace").decode(encoding))
        self.console.print(text, no_wrap=True, overflow="ignore", crop=False, highlight=False)
