"""An engine that calls the model as it does in production: over HTTP, by the vendor's client."""

from __future__ import annotations

from counterproof import World
from counterproof_reference.providers import OpenAIProvider
from engines.conformant.table import conformant
from engines.disguise import Ask, reference_with


def _client(world: World) -> OpenAIProvider:
    """The engine's own provider, pointed at the scripted model."""
    return OpenAIProvider("any", base_url=f"{world.model.url}/v1", api_key="none", max_retries=0)


@conformant()
def model_called_over_http(world: World) -> Ask:
    """Its provider is the official client, and the model's address is all that it is given."""
    return reference_with(world, parts={"adapter._WorldModel": _client})
