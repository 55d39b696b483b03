"""An executable specification of a conversational RAG engine.

Start at :func:`counterproof_reference.engine.answer_question`.
"""
