"""What a window lacks is named; a window without records lacks everything."""

import pytest
from star_fabric import star_plan
from test_detect import row

from netopsbench.records.telemetry import Probe
from netopsbench.telemetry.coverage import CoverageReport, missing_parts
from netopsbench.telemetry.path_table import table_of_probes
from netopsbench.telemetry.pingmesh import expected_pairs

PAIRS = [("a", "b"), ("b", "a")]


@pytest.mark.parametrize(
    ("probes", "missing"),
    [
        ([row(), row(src="b", dst="a")], []),
        ([row(16), row(src="b", dst="a")], []),
        ([row()], ["b to a: no probe"]),
        ([row(sent=10), row(src="b", dst="a")], ["a to b: epoch 1 covers 10 of 16 source ports"]),
        ([row(df_ports_sent=0), row(src="b", dst="a")], ["a to b: epoch 1 has no don't-fragment probe"]),
        ([], ["a to b: no probe", "b to a: no probe"]),
    ],
    ids=["complete", "lost is covered", "a pair", "ports", "large probes", "nothing"],
)
def test_what_a_window_lacks_is_named(probes: list[Probe], missing: list[str]) -> None:
    assert missing_parts(table_of_probes(probes), PAIRS) == missing


def test_an_epoch_that_lacks_a_pair_is_named() -> None:
    probes = [row(epoch=1), row(epoch=1, src="b", dst="a"), row(epoch=2)]
    assert missing_parts(table_of_probes(probes), PAIRS) == ["b to a: epoch 2 covers 0 of 16 source ports"]


def test_no_epoch_at_all_is_not_complete_even_if_nothing_was_expected() -> None:
    nothing = CoverageReport(
        epochs=0, pairs_expected=0, pairs_measured=0, missing=(), missing_total=0, flows=0, flows_cut_short=0,
        crossings={}, unprobed=(),
    )  # fmt: skip
    assert not nothing.is_complete
    assert expected_pairs(star_plan(1)) == []
