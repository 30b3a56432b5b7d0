"""Names of things in a fabric."""

from typing import Any

from pydantic import model_serializer, model_validator

from netopsbench.core.model import Model


class Port(Model):
    """One interface of one node, written `leaf1:eth2` in files and messages."""

    node: str
    interface: str

    @model_validator(mode="before")
    @classmethod
    def _from_text(cls, value: Any) -> Any:
        if isinstance(value, str):
            node, colon, interface = value.partition(":")
            if not (node and colon and interface):
                raise ValueError("a port is written node:interface, like leaf1:eth2")
            return {"node": node, "interface": interface}
        return value

    @model_serializer
    def _to_text(self) -> str:
        return str(self)

    def __str__(self) -> str:
        return f"{self.node}:{self.interface}"
