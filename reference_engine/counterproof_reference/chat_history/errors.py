"""What a chat history refuses, and why."""

from __future__ import annotations


class ChatHistoryError(ValueError):
    """Whatever a chat history refuses; nothing has changed where it is raised."""


class MessageError(ChatHistoryError):
    """A message that cannot be: an unknown role, a part its role cannot hold, no JSON value."""


class PairingError(ChatHistoryError):
    """A call and a result that do not go together (CHH-2, CHH-3).

    Args:
        what: what is wrong, naming the id.
        call_id: the id.
    """

    def __init__(self, what: str, call_id: str) -> None:
        super().__init__(what)
        self.call_id = call_id


class PromptError(ChatHistoryError):
    """A text that is no rendered chat history."""


class RestoreError(ChatHistoryError):
    """A text that is no saved chat history."""


class SummaryError(ChatHistoryError):
    """A summariser that gave no summary (RED-8); the history is as it was."""


class FunctionCallingError(ChatHistoryError):
    """A model that does not come to an answer, or a reply that is none."""
