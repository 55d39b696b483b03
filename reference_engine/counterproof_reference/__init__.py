"""An executable specification of a conversational RAG engine."""
