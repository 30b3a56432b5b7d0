"""Tickets on running labs: they are true, fixes are carried out, and reference agents separate."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from netopsbench.campaign.ticket_run import run_tickets
from netopsbench.campaign.ticket_trial import TicketTerms
from netopsbench.fabric.labs.service_shim import shell_line
from netopsbench.fabric.native.engine import NativeEngine
from netopsbench.records.answers import Budget
from netopsbench.tickets.kathara import read_kathara
from netopsbench.tickets.kathara_native import native_lab
from netopsbench.tickets.load import load_tickets, shipped_folder, shipped_labs
from netopsbench.tickets.model import Ticket
from netopsbench.tickets.standing_lab import StandingLab, proofs
from netopsbench.tickets.summary import Figures, summarize

pytestmark = pytest.mark.live

TERMS = TicketTerms(budget=Budget(wall_time_s=120, tool_calls=200))


KATHARA = {
    "lab.conf": 'gw[0]="A"\ngw[1]="B"\npc[0]="A"\nweb[0]="B"\n',
    "gw.startup": "ip address add 10.1.0.1/24 dev eth0\nip address add 10.2.0.1/24 dev eth1\nsystemctl start frr\n",
    "gw/etc/frr/frr.conf": "router ospf\n network 10.0.0.0/8 area 0\n",
    "pc.startup": "ip address add 10.1.0.9/24 dev eth0\nip route add default via 10.1.0.1\nnonsense\n"
    "echo after an error > /var/said\n",
    "pc/etc/resolv.conf": "nameserver 10.2.0.80\n",
    "web.startup": "ip address add 10.2.0.80/24 dev eth0\nip route add default via 10.2.0.1\n"
    "service apache2 start\nsystemctl start named\n",
    "web/var/www/html/index.html": "<h1>Shop</h1>\n",
    "web/etc/bind/named.conf": 'zone "shop" { type master; file "db.shop"; };\n',
    "web/etc/bind/db.shop": "www IN A 10.2.0.80\n",
}
LOOKS = {"pc": "cat /var/said", "gw": "systemctl status frr", "web": "service apache2 stop; systemctl status http"}


def _standard(lab: str) -> list[Ticket]:
    return [ticket for ticket in load_tickets(shipped_folder(lab)) if ticket.persona == "standard"]


@pytest.fixture(scope="module")
def small_lab(engine: NativeEngine) -> Iterator[StandingLab]:
    with StandingLab("simple_bgp", engine) as lab:
        yield lab


def _figures(lab: StandingLab, tickets: Sequence[Ticket], agents: Sequence[str]) -> dict[str, Figures]:
    trials = list(run_tickets(tickets, agents, lab, TERMS))
    assert [f"{trial.ticket_id}: {trial.error}" for trial in trials if trial.end == "invalid"] == []
    summary = summarize([trial.score for trial in trials if trial.score is not None])
    return {row.agent: row.figures for row in summary.overall}


def test_the_truth_is_worth_everything_and_its_fix_repairs_the_lab(small_lab: StandingLab) -> None:
    wanted = {"pc1-wrong-gateway", "false-premise-bgp-down"}
    tickets = [ticket for ticket in _standard("simple_bgp") if ticket.id in wanted]
    figures = _figures(small_lab, tickets, ["oracle", "nop"])
    assert (figures["oracle"].outcome, figures["oracle"].fix) == (1.0, 1.0)
    assert (figures["nop"].outcome, figures["nop"].fix) == (0.0, 0.0)
    assert small_lab.findings() == []


def test_a_kathara_lab_runs_as_it_is_written(tmp_path: Path, engine: NativeEngine) -> None:
    for path, text in KATHARA.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    native = native_lab(read_kathara(tmp_path))
    with StandingLab(native.spec.model_copy(update={"name": "shop"}), engine) as lab:
        assert lab.findings() == []
        assert lab.usual == ()
        seen = {node: lab.fabric.exec(node, shell_line(line)).stdout for node, line in LOOKS.items()}
        assert seen == {"pc": "after an error\n", "gw": "frr is active (running)\n", "web": "http is inactive (dead)\n"}


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("name", shipped_labs())
def test_every_ticket_is_true_to_its_lab(name: str, engine: NativeEngine) -> None:
    with StandingLab(name, engine) as lab:
        assert [(proof.ticket_id, proof.problems) for proof in proofs(lab, _standard(name)) if not proof.is_valid] == []


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", shipped_labs())
def test_reference_agents_separate(name: str, engine: NativeEngine) -> None:
    tickets = _standard(name)
    premises = [ticket for ticket in tickets if ticket.ticket_class == "false-premise"]
    with StandingLab(name, engine) as lab:
        looking = _figures(lab, tickets, ["checks-first"])["checks-first"]
        fooled = _figures(lab, premises, ["believer"])["believer"]
    assert looking.outcome is not None
    assert looking.outcome >= 0.9
    assert fooled.outcome is not None
    assert fooled.outcome <= 0.1
