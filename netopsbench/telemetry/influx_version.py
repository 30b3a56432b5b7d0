"""Which versions of InfluxDB can be used, and which one it is from what it says of itself."""

import re

SUPPORTED = "InfluxDB 1.8 or newer, or 2.x"


def major_version(said: str) -> int | None:
    """1 or 2 for a version like `1.8.10` or `v2.7.12`; None for one that is older or newer than those supported."""
    number = re.match(r"v?(\d+)\.(\d+)", said)
    if number is None:
        # Built from source without a number, 2.x calls itself `dev` and 1.x `unknown`.
        return 2 if said == "dev" else 1
    found = (int(number[1]), int(number[2]))
    return found[0] if (1, 8) <= found < (3, 0) else None
