"""Arguments that many tools take, with an example of each."""

from typing import Annotated

from pydantic import Field

Device = Annotated[str, Field(description="A switch or a client.", examples=["leaf1"])]
Switch = Annotated[str, Field(description="A switch.", examples=["leaf1"])]
