"""Chat histories and their reducers: what Semantic Kernel's page "Chat history" describes.

Source: Semantic Kernel, "Chat history", 2025-01-29 (rows CHH and RED). An executable
specification; where the page is silent or a package errs, the docstrings say what holds here.
"""

from counterproof_reference.chat_history.errors import (
    ChatHistoryError,
    FunctionCallingError,
    MessageError,
    PairingError,
    PromptError,
    RestoreError,
    SummaryError,
)
from counterproof_reference.chat_history.history import ChatHistory
from counterproof_reference.chat_history.messages import Call, Image, Message, Result, Text

__all__ = [
    "Call",
    "ChatHistory",
    "ChatHistoryError",
    "FunctionCallingError",
    "Image",
    "Message",
    "MessageError",
    "PairingError",
    "PromptError",
    "RestoreError",
    "Result",
    "SummaryError",
    "Text",
]
