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
from counterproof_reference.chat_history.function_calling import (
    Inspected,
    answer_with_functions,
)
from counterproof_reference.chat_history.history import ChatHistory
from counterproof_reference.chat_history.messages import Call, Image, Message, Result, Text
from counterproof_reference.chat_history.reducers import POLICY, Reducer, TokenBudget, Truncation
from counterproof_reference.chat_history.reducing import ReducingHistory
from counterproof_reference.chat_history.summarisation import Summarisation, Summariser, Turn
from counterproof_reference.chat_history.tokens import ByteCounter, TiktokenCounter, TokenCounter

__all__ = [
    "POLICY",
    "ByteCounter",
    "Call",
    "ChatHistory",
    "ChatHistoryError",
    "FunctionCallingError",
    "Image",
    "Inspected",
    "Message",
    "MessageError",
    "PairingError",
    "PromptError",
    "Reducer",
    "ReducingHistory",
    "RestoreError",
    "Result",
    "Summarisation",
    "Summariser",
    "SummaryError",
    "Text",
    "TiktokenCounter",
    "TokenBudget",
    "TokenCounter",
    "Truncation",
    "Turn",
    "answer_with_functions",
]
