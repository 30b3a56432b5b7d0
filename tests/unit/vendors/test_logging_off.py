"""A network of which nothing is measured keeps no logs, and its devices say so instead of showing an empty buffer."""

import pytest

from netopsbench.core.errors import ToolError
from netopsbench.tools.devices.execute import live_device
from netopsbench.tools.telemetry.unmeasured import NOT_MEASURED
from netopsbench.vendors.command import Facts, View
from netopsbench.vendors.facts import LogLine, LogLines
from netopsbench.vendors.names import VENDORS, Vendor
from netopsbench.vendors.table import commands_for

OFF: dict[Vendor, str] = {
    "huawei": "Logging buffer configuration and contents : disabled",
    "h3c": "Log buffer: Disabled",
    "cisco": "Syslog logging: disabled",
    "arista": "Syslog logging: disabled",
    "sonic": "cat: /var/log/syslog: No such file or directory",
    "frr": "No journal files were found.\n-- No entries --",
    "linux": "No journal files were found.\n-- No entries --",
}


class Unmeasured:
    """A context whose store holds nothing."""

    store = property(lambda self: self)

    def query(self, *asked: object) -> None:
        raise ToolError("nothing is measured here", NOT_MEASURED)


class Keeping:
    """A device with these lines in its log."""

    def __init__(self, *lines: LogLine) -> None:
        self._lines = lines

    def look(self, want: type[Facts], view: View) -> Facts:
        return want.model_validate({"lines": self._lines})


def printed(vendor: Vendor, source: object) -> str:
    (command,) = commands_for(vendor, "logs")
    return command.answer(source, View("leaf1", vendor))  # type: ignore[arg-type]


@pytest.mark.parametrize("vendor", VENDORS)
def test_a_device_whose_logging_is_off_says_so(vendor: Vendor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("netopsbench.tools.devices.execute.whole_time", lambda context: None)
    assert printed(vendor, live_device(Unmeasured(), "leaf1")) == OFF[vendor]  # type: ignore[arg-type]


@pytest.mark.parametrize("vendor", VENDORS)
def test_an_empty_log_is_no_log_that_is_off(vendor: Vendor) -> None:
    assert OFF[vendor] not in printed(vendor, Keeping())


def test_facts_of_former_recordings_are_of_logs_that_were_kept() -> None:
    assert LogLines.model_validate({"lines": []}).is_kept
