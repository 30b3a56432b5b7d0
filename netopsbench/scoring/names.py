"""How names in answers are read: spelling is forgiven, guessing is not."""

import re

from netopsbench.records.answers import Location
from netopsbench.records.labels import LABELS

_NOTHING = frozenset({"", "-", "n/a", "na", "nan", "nil", "none", "null", "undefined", "unknown"})
"""What agents write where they name nothing."""

# At most four digits: Python refuses to turn thousands of them into a number.
_SONIC_PORT = re.compile(r"ethernet(0|[1-9][0-9]{0,3})")
_SLOT_PORT = re.compile(r"ethernet-1/([1-9][0-9]{0,3})")
_SONIC_LANES = 4
"""SONiC numbers ports by their first lane: Ethernet0, Ethernet4, Ethernet8 …"""

_LABEL_BY_SPELLING = {spelling: label.name for label in LABELS for spelling in (label.name, *label.aliases)}


def device_name(written: str | None) -> str | None:
    """A device's name without regard to case and surrounding space; None when nothing is named."""
    name = (written or "").strip().casefold()
    return None if name in _NOTHING else name


def interface_name(written: str | None) -> str | None:
    """An interface's name as the fabric spells it (`Ethernet4` and `ethernet-1/2` are eth2).

    None when nothing is named; a spelling of no known system stays as it is and matches nothing.
    """
    name = (written or "").strip().casefold()
    if name in _NOTHING:
        return None
    if slot := _SLOT_PORT.fullmatch(name):
        return f"eth{slot[1]}"
    if (lane := _SONIC_PORT.fullmatch(name)) and int(lane[1]) % _SONIC_LANES == 0:
        return f"eth{int(lane[1]) // _SONIC_LANES + 1}"
    return name


def fault_label(written: str) -> str:
    """The label that a fault type or one of its aliases means; other words only tidied up."""
    tidy = re.sub(r"[\s\-]+", "_", written.strip().casefold())
    return _LABEL_BY_SPELLING.get(tidy, tidy)


def place(location: Location) -> tuple[str | None, str | None]:
    """Device and interface of a location, both in the fabric's spelling."""
    return device_name(location.device), interface_name(location.interface)
