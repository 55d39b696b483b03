"""What the scripted model does in one ask (design §1)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Behaviour:
    """One behaviour of the scripted model.

    Args:
        name: as certificates print it.
        replies: for ``fuzzed``, the reply messages to give in turn, in the OpenAI shape; none
            where they are still to be drawn.
    """

    name: str
    replies: tuple[Any, ...] = field(default=(), hash=False)  # plain dicts: equal, not hashed

    def __str__(self) -> str:
        return self.name


COOPERATIVE = Behaviour("cooperative")
"""Reads the last user message and the passages it is given; ignores history."""
PARROT = Behaviour("parrot")
"""Answers with history's last figure or sentence; without history it is cooperative."""
NO_TOOL = Behaviour("no-tool")
"""Answers with a figure of its own instead of calling the tool it is offered."""
EMPTY = Behaviour("empty")
"""Replies with an empty text."""
FABRICATING = Behaviour("fabricating")
"""Cooperates, and adds a figure of its own."""
FABRICATING_GROUPED = Behaviour("fabricating-grouped")
FABRICATING_FULL_WIDTH = Behaviour("fabricating-full-width")
FABRICATING_SCIENTIFIC = Behaviour("fabricating-scientific")
FABRICATING_CHINESE = Behaviour("fabricating-chinese")
FABRICATING_CHINESE_DIGITS = Behaviour("fabricating-chinese-digits")
FABRICATIONS = (
    FABRICATING, FABRICATING_GROUPED, FABRICATING_FULL_WIDTH, FABRICATING_SCIENTIFIC,
    FABRICATING_CHINESE, FABRICATING_CHINESE_DIGITS,
)  # fmt: skip
"""The same figure in each digit form (FAB-7)."""
WRONG_ENTITY = Behaviour("wrong-entity")
WRONG_PERIOD = Behaviour("wrong-period")
UNKNOWN_TOOL = Behaviour("unknown-tool")
MALFORMED_ARGUMENTS = Behaviour("malformed-arguments")
NON_OBJECT_ARGUMENTS = Behaviour("non-object-arguments")
PARALLEL = Behaviour("parallel")
"""Calls the tool rightly and wrongly in one message."""
DUPLICATE_IDS = Behaviour("duplicate-ids")
ENDLESS = Behaviour("endless")
"""Never stops calling the tool."""
FAILING_ERROR = Behaviour("failing-error")
FAILING_TIMEOUT = Behaviour("failing-timeout")
FAILING_NO_CHOICES = Behaviour("failing-no-choices")
"""Fails as a provider may: an error, a time-out, a completion that holds no choice (FAB-9)."""
FAILING_RATE_LIMIT = Behaviour("failing-rate-limit")
FAILING_TRUNCATED = Behaviour("failing-truncated")
FAILING_MALFORMED = Behaviour("failing-malformed")
TRANSPORT_FAULTS = (FAILING_RATE_LIMIT, FAILING_TRUNCATED, FAILING_MALFORMED)
"""Fails as its transport may: a 429, a body that ends too soon, one that is no JSON. An engine in
process, which has no transport, sees an error."""
FUZZED = Behaviour("fuzzed")
"""Gives replies that are drawn, well formed or not; until they are, some of the oddest."""


def fuzzed(*replies: Any) -> Behaviour:
    """A model that gives these reply messages in turn, the last one ever after."""
    return Behaviour(FUZZED.name, replies)


NAMED = {
    each.name: each
    for each in (
        COOPERATIVE, PARROT, NO_TOOL, EMPTY, *FABRICATIONS, WRONG_ENTITY, WRONG_PERIOD,
        UNKNOWN_TOOL, MALFORMED_ARGUMENTS, NON_OBJECT_ARGUMENTS, PARALLEL, DUPLICATE_IDS, ENDLESS,
        FAILING_ERROR, FAILING_TIMEOUT, FAILING_NO_CHOICES, *TRANSPORT_FAULTS,
    )
}  # fmt: skip
