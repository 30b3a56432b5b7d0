"""The command `netopsbench`."""

from importlib import metadata
from typing import Annotated

import typer

from netopsbench.cli.agents import agents
from netopsbench.cli.benchmark import benchmark
from netopsbench.cli.case import case
from netopsbench.cli.doctor import doctor
from netopsbench.cli.execute_api import execute_api
from netopsbench.cli.fabric import fabric
from netopsbench.cli.fabric_draw import export, graph
from netopsbench.cli.fabric_show import show
from netopsbench.cli.fault import fault
from netopsbench.cli.lab import lab
from netopsbench.cli.prepare import check_, prepare_
from netopsbench.cli.quickstart import quickstart
from netopsbench.cli.rca import rca
from netopsbench.cli.speak import plainly
from netopsbench.cli.telemetry import telemetry
from netopsbench.cli.tickets import tickets
from netopsbench.cli.tools import tools


def tell_version(is_wanted: bool) -> None:
    """Print the version and end."""
    if is_wanted:
        print(f"netopsbench {metadata.version('netopsbench')}")
        raise typer.Exit


app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
def netopsbench(
    version: Annotated[
        bool, typer.Option("--version", callback=tell_version, is_eager=True, help="Tell the version.")
    ] = False,
) -> None:
    """Prove whether a network-troubleshooting agent works, on real fabrics with real faults."""


app.command()(plainly(doctor))
app.command()(plainly(quickstart))
for command in (show, graph, export):
    fabric.command()(plainly(command))
benchmark.command("prepare")(plainly(prepare_))
benchmark.command("check")(plainly(check_))
tools.command("execute-api")(plainly(execute_api))
app.add_typer(fabric, name="fabric")
app.add_typer(lab, name="lab")
app.add_typer(fault, name="fault")
app.add_typer(benchmark, name="benchmark")
app.add_typer(agents, name="agents")
app.add_typer(case, name="case")
app.add_typer(rca, name="rca")
app.add_typer(telemetry, name="telemetry")
app.add_typer(tickets, name="tickets")
app.add_typer(tools, name="tools")


if __name__ == "__main__":
    app()
