"""Tables of root-cause and path tasks on the terminal."""

from collections.abc import Mapping

from rich.table import Table


def counts_table(by_network: Mapping[str, Mapping[str, int]]) -> Table:
    """How many tasks of each kind there are on each network."""
    table = Table("network")
    table.add_column("root causes (rca)", justify="right")
    table.add_column("paths (path)", justify="right")
    for name, counts in by_network.items():
        table.add_row(name, str(counts["rca"]), str(counts["path"]))
    return table
