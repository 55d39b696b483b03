"""Language models the engine can use: any OpenAI-compatible endpoint, or a script without one."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, Protocol

from counterproof_reference import narrative_prompt
from counterproof_reference.intent import assumed_period, parser
from counterproof_reference.vocabulary import Vocabulary


class ProviderError(Exception):
    """The model gave no usable reply: an error, a time-out, or nothing (FAB-9)."""


class Provider(Protocol):
    """A language model, as the engine calls it."""

    def chat(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        tools: Sequence[Mapping[str, Any]] | None = None,
    ) -> Mapping[str, Any]:
        """Ask for one reply.

        Args:
            messages: chat messages in the OpenAI shape.
            tools: function tools in the OpenAI shape; None where none are offered.

        Returns:
            A chat completion in the OpenAI shape, as plain values.

        Raises:
            ProviderError: there is no reply.
        """
        ...


def reply_of(completion: object) -> dict[str, Any]:
    """The reply message of a chat completion.

    Args:
        completion: what a provider returned, whatever that is.

    Returns:
        The message; its content is a string, empty where the model sent none or something else.

    Raises:
        ProviderError: there is no choice, or it holds no message (FAB-9).
    """
    choices = completion.get("choices") if isinstance(completion, Mapping) else None
    choice = choices[0] if isinstance(choices, Sequence) and choices else None
    message = choice.get("message") if isinstance(choice, Mapping) else None
    if not isinstance(message, Mapping):
        raise ProviderError("the completion holds no reply message")
    content = message.get("content")
    return {**message, "content": content if isinstance(content, str) else ""}


class MockProvider:
    """A script that stands in for a model, deterministic and offline.

    It calls the tool it is offered for what the last user message asks, and quotes the first
    passage it is given. It keeps nothing between calls and ignores history.

    Args:
        vocabulary: the names it recognises.
        reference_date: reckons relative years, and the year assumed where none is named.
    """

    def __init__(self, vocabulary: Vocabulary, reference_date: date) -> None:
        self._vocabulary = vocabulary
        self._parse = parser(vocabulary)
        self._date = reference_date

    def chat(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        tools: Sequence[Mapping[str, Any]] | None = None,
    ) -> dict[str, Any]:
        """Reply as :meth:`Provider.chat` says; never fails."""
        asked = max(at for at, each in enumerate(messages) if each["role"] == "user")
        text = str(messages[asked]["content"])
        if not tools:
            quoted = narrative_prompt.first_passage(text)
            return _completion({"role": "assistant", "content": quoted or "Nothing speaks of it."})
        results = [str(each["content"]) for each in messages[asked:] if each["role"] == "tool"]
        if results:
            return _completion({"role": "assistant", "content": " ".join(results)})
        return _completion(
            {"role": "assistant", "content": None, "tool_calls": self._calls(text, tools)}
        )

    def _calls(self, question: str, tools: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        intent = self._parse(question, self._date)
        slots = intent.slots(self._vocabulary.home, assumed_period(self._date))
        calls = []
        for number, slot in enumerate(slots):
            arguments = {"entity": slot.entity, "metric": slot.metric, "period": slot.period}
            function = {
                "name": str(tools[0]["function"]["name"]),
                "arguments": json.dumps(arguments),
            }
            calls.append({"id": f"call_{number}", "type": "function", "function": function})
        return calls


def _completion(message: dict[str, Any]) -> dict[str, Any]:
    reason = "tool_calls" if message.get("tool_calls") else "stop"
    return {
        "id": "chatcmpl-mock",
        "object": "chat.completion",
        "created": 0,
        "model": "mock",
        "choices": [{"index": 0, "message": message, "finish_reason": reason}],
    }


class OpenAIProvider:
    """Any endpoint that speaks OpenAI's chat completions, through the official client.

    Args:
        model: the model's name at the endpoint.
        base_url: the endpoint; None leaves it to the client.
        api_key: the key; None leaves it to the client, which reads its environment.
        timeout: seconds to wait for a reply.
        max_retries: how often the client tries again after a failure worth it.

    Raises:
        ProviderError: the client is not installed, or finds no key.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        timeout: float = 60.0,
        max_retries: int = 2,
    ) -> None:
        try:
            import openai
        except ImportError as error:
            raise ProviderError("the openai client is not installed: extra 'openai'") from error
        self._error = openai.OpenAIError
        self._model = model
        try:
            self._client = openai.OpenAI(
                base_url=base_url, api_key=api_key, timeout=timeout, max_retries=max_retries
            )
        except openai.OpenAIError as error:
            raise ProviderError(str(error)) from error

    def chat(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        tools: Sequence[Mapping[str, Any]] | None = None,
    ) -> dict[str, Any]:
        """Reply as :meth:`Provider.chat` says.

        Raises:
            ProviderError: the client's error, or a reply that is no chat completion.
        """
        request: dict[str, Any] = {"model": self._model, "messages": list(messages)}
        if tools:
            request["tools"] = list(tools)
        try:
            completion = self._client.chat.completions.create(**request)
            # A body that is no JSON object comes back as it is, without the client's methods.
            body: dict[str, Any] = completion.model_dump(mode="json")
        except (self._error, ValueError, AttributeError) as error:
            raise ProviderError(f"{type(error).__name__}: {error}") from error
        return body

    def close(self) -> None:
        """Close the client's connections."""
        self._client.close()
