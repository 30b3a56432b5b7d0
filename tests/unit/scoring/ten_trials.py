"""Ten trials of one agent whose figures are worked out by hand in the tests."""

from scored_trials import HEALTHY, broke, crashed, faulty, says, says_healthy, trial

TEN = (
    # strict 1, paper 1
    trial(
        "t01",
        truth=faulty("link_down", "leaf1:eth1", "spine1:eth1"),
        answer=says("link_down", "leaf1:eth1"),
        difficulty="easy",
        time_s=10,
        calls=4,
    ),
    # device only: strict 0.5, paper 0.5; the type by an alias
    trial(
        "t02",
        truth=faulty("link_down", "leaf1:eth2", "spine2:eth1"),
        answer=says("interface_down", "leaf1:eth3"),
        difficulty="easy",
        time_s=20,
        calls=6,
    ),
    # the port's name on a wrong device: strict 0, paper 0.5
    trial(
        "t03",
        truth=faulty("link_down", "leaf2:eth1", "spine1:eth2"),
        answer=says("packet_loss", "spine2:eth1"),
        difficulty="hard",
        time_s=30,
        calls=8,
    ),
    # strict 1, paper 1
    trial(
        "t04",
        truth=faulty("blackhole_route", "leaf3"),
        answer=says("blackhole", "leaf3:eth9"),
        difficulty="medium",
        scale="small",
        time_s=12,
        calls=2,
    ),
    # missed: 0, 0
    trial(
        "t05",
        truth=faulty("blackhole_route", "leaf4"),
        answer=says_healthy(),
        difficulty="hard",
        scale="small",
        time_s=8,
        calls=2,
    ),
    # the agent's own failure: 0, 0
    trial(
        "t06",
        truth=faulty("blackhole_route", "leaf2"),
        error=crashed(),
        difficulty="hard",
        scale="small",
        time_s=40,
        calls=10,
    ),
    # healthy, and said so: 1, 1
    trial("t07", truth=HEALTHY, answer=says_healthy(), difficulty="easy", time_s=5, calls=3),
    # healthy, false alarm: 0, 0
    trial("t08", truth=HEALTHY, answer=says("link_down", "leaf1:eth1"), difficulty="easy", time_s=15, calls=5),
    # outside every denominator
    trial(
        "t09",
        truth=faulty("link_down", "leaf9:eth1"),
        end="invalid",
        error=broke("effect_not_seen"),
        time_s=999,
        asked=False,
    ),
    trial("t10", truth=faulty("packet_loss", "leaf9:eth1"), end="unsupported", time_s=999, asked=False),
)
