"""JSON schemas in the form that OpenAI's strict mode asks for, where a model can have that form."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from ..structured_output import json_schema_of

__all__ = ["is_strict", "strict_schema"]


def strict_schema(schema: type[BaseModel]) -> dict[str, Any]:
    """The JSON schema with all fields required, no defaults, and objects closed unless they are maps."""
    tightened: dict[str, Any] = _tightened(json_schema_of(schema))
    return tightened


def is_strict(described: Any) -> bool:
    """Whether strict mode takes it: not with a map (an object whose keys the model chooses) anywhere inside."""
    if isinstance(described, dict):
        if described.get("type") == "object" and described.get("additionalProperties") is not False:
            return False
        return all(is_strict(value) for value in described.values())
    return all(is_strict(item) for item in described) if isinstance(described, list) else True


def _tightened(node: Any, *, names: bool = False) -> Any:
    """``node`` tightened all through. ``names``: its keys are names of fields, not keywords of JSON schema."""
    if isinstance(node, list):
        return [_tightened(item) for item in node]
    if not isinstance(node, dict):
        return node
    if names:
        return {name: _tightened(value) for name, value in node.items()}
    result = {
        keyword: _tightened(value, names=keyword in ("properties", "$defs"))
        for keyword, value in node.items()
        if keyword != "default"
    }
    if "properties" in result:
        result["required"] = list(result["properties"])
        result.setdefault("additionalProperties", False)
    if "$ref" in result:  # strict mode wants it alone
        return {"$ref": result["$ref"]}
    return result
