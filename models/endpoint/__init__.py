"""Chat models behind an endpoint, or a script that stands in for one in tests."""

from .connect import connect, from_langchain
from .given import given_model, own_sampling
from .scripted import ForbiddenChatModel, ScriptedChatModel

__all__ = ["ForbiddenChatModel", "ScriptedChatModel", "connect", "from_langchain", "given_model", "own_sampling"]
