"""Root causes are made, seen and undone, on a fabric that only keeps a set of what is broken."""

import json
from collections.abc import Sequence
from typing import cast

import pytest

from netopsbench.core.errors import InfraError
from netopsbench.core.process import TIMED_OUT, Completed
from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.engine import Fabric
from netopsbench.fabric.load import load_spec
from netopsbench.rca.answer import Triple
from netopsbench.rca.breaking.contract import Broken, Sight, run
from netopsbench.rca.breaking.holding import held, seen_still, unexpected


class _Network:
    """`break X` and `mend X` do so; `look` prints what is broken, and saving keeps it."""

    def __init__(self, *broken: str) -> None:
        self.plan = plan_fabric(load_spec("xs"))
        self.broken = list(broken)
        self.commands: list[str] = []
        self.saved: dict[str, list[str]] = {}

    def exec(self, node: str, argv: Sequence[str], *, timeout_s: float = 10, stdin: str = "") -> Completed:
        verb, *things = argv
        if verb in ("break", "mend"):
            self.commands.append(" ".join(argv))
        if verb == "break":
            self.broken += [each for each in things if each != "nothing"]
        elif verb == "mend":
            self.broken.remove(things[0])
        elif "write memory" in things:
            self.saved[node] = list(self.broken)
        shown = " ".join(self.broken) if verb == "look" else ""
        return Completed(argv=tuple(argv), returncode=0, stdout=shown, stderr="")


def cause(name: str, *, does: str | None = None) -> Broken:
    return Broken(
        triple=Triple(node="leaf1", object=name, cause="shutdown"),
        do=(run("leaf1", "break", does or name),),
        undo=(run("leaf1", "mend", name),),
        sights=(Sight(node="spine1", argv=("look",), shows=name),),
        touches=("leaf1",),
    )


def on(network: _Network) -> Fabric:
    return cast(Fabric, network)


def test_causes_are_held_for_the_block_and_the_last_is_undone_first() -> None:
    network = _Network()
    with held(on(network), [cause("one"), cause("two")]) as receipts:
        assert network.broken == ["one", "two"]
        assert [receipt.step for receipt in receipts] == ["inject", "inject", "effect_before"]
        assert seen_still(on(network), [cause("one")]).step == "effect_after"
    assert network.commands == ["break one", "break two", "mend two", "mend one"]


def test_causes_are_saved_while_they_are_there_and_not_left_in_what_a_restart_would_load() -> None:
    network = _Network()
    running = [node.name for node in network.plan.nodes if node.daemons]
    with held(on(network), [cause("one"), cause("two")]):
        assert network.saved == {name: ["one", "two"] for name in running}
    assert network.saved == {name: [] for name in running}


def test_a_cause_that_can_not_be_seen_is_not_left_saved() -> None:
    network = _Network()
    unseen = cause("one").model_copy(update={"sights": (Sight(node="spine1", argv=("look",), shows="other"),)})
    with pytest.raises(InfraError), held(on(network), [unseen], deadline_s=0):
        pytest.fail("the block must not begin")
    assert network.saved == {node.name: [] for node in network.plan.nodes if node.daemons}


def test_what_is_broken_already_is_no_effect() -> None:
    network = _Network("one")
    with pytest.raises(InfraError, match="holds already"), held(on(network), [cause("one")], deadline_s=0):
        pytest.fail("the block must not begin")
    assert network.commands == []


def test_a_cause_without_effect_is_undone_and_told() -> None:
    network = _Network("two")
    unseen = cause("one", does="nothing").model_copy(update={"undo": (run("leaf1", "mend", "two"),)})
    with pytest.raises(InfraError) as told, held(on(network), [unseen], deadline_s=0):
        pytest.fail("the block must not begin")
    assert told.value.reason == "effect_not_seen"
    assert network.broken == []


def test_an_agent_that_fails_does_not_leave_the_network_broken() -> None:
    network = _Network()
    with pytest.raises(RuntimeError, match="the agent"), held(on(network), [cause("one")]):
        raise RuntimeError("the agent")
    assert network.broken == []


class _Lingering(_Network):
    """leaf1 learns only a while after something broke that its neighbor is gone."""

    def __init__(self) -> None:
        super().__init__()
        self.looks_left = 4

    def exec(self, node: str, argv: Sequence[str], *, timeout_s: float = 10, stdin: str = "") -> Completed:
        if node != "leaf1" or "show bgp neighbors json" not in argv:
            return super().exec(node, argv, timeout_s=timeout_s, stdin=stdin)
        self.looks_left -= 1
        state = "Established" if self.looks_left > 0 else "Idle"
        told = {"10.1.0.1": {"bgpState": state, "messageStats": {"totalRecv": 7}}}
        return Completed(argv=tuple(argv), returncode=0, stdout=json.dumps(told), stderr="")


def test_nobody_is_asked_before_routers_know_what_broke() -> None:
    network = _Lingering()
    with held(on(network), [cause("one")]):
        assert network.looks_left == 0


def test_an_effect_that_went_away_is_told() -> None:
    with pytest.raises(InfraError) as told:
        seen_still(on(_Network()), [cause("one")])
    assert told.value.reason == "effect_gone_before_answer"


class _Late(_Network):
    """Commands that look never end in time."""

    def exec(self, node: str, argv: Sequence[str], *, timeout_s: float = 10, stdin: str = "") -> Completed:
        if argv[0] == "look":
            return Completed(argv=tuple(argv), returncode=TIMED_OUT, stdout="", stderr="no end")
        return super().exec(node, argv, timeout_s=timeout_s, stdin=stdin)


def test_a_device_that_does_not_answer_in_time_shows_neither_what_is_broken_nor_what_is_well() -> None:
    for is_shown in (True, False):
        sight = Sight(node="spine1", argv=("look",), shows="one", is_shown=is_shown)
        for is_broken in (True, False):
            told = unexpected(on(_Late()), [sight], is_broken=is_broken)
            assert told == ["spine1: look did not end in 5 s"]
