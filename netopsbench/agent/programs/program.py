"""What has to be started to examine an agent, and what its process may reach."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

Access = Literal["closed", "network", "trusted"]
"""`closed`: the tools and nothing else. `network`: the network too, for agents of this package that speak to a model
or a service. `trusted`: everything that the user who started it can reach."""


@dataclass(frozen=True)
class Program:
    """A command line with its surroundings."""

    argv: tuple[str, ...]
    access: Access = "closed"
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Variables beside those that every agent gets; keys of model providers among them."""
    secrets: tuple[str, ...] = field(default=(), repr=False)
    """Texts that must not be kept anywhere."""
    carried: tuple[tuple[Path, str], ...] = ()
    """Files and folders of the agent, and where they are seen inside."""
    is_ours: bool = False
    """Whether it is an agent of this package, whose journal can be believed."""
