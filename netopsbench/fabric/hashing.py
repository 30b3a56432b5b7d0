"""What the switches' kernels hash to choose among equal-cost links; standard library only."""

FIELDS_POLICY = 3
"""Value of net.ipv4.fib_multipath_hash_policy under which the kernel hashes the fields that it is told.

Policy 1 hashes the five fields as well, but trusts a hash that the packet brings along. A socket that is connected,
TCP's or UDP's, gives its packets a random one, which survives the way over a veth pair into the first switch: there
the way of a 5-tuple would be another one for every socket.
"""
FIVE_TUPLE = 0x37
"""Source and destination address, protocol, source and destination port (fib_multipath_hash_fields)."""
_ADDRESSES_AND_PORTS = 0x33
_SECOND_CHOICE = ("spine", "agg")


def hash_fields(role: str) -> int:
    """Fields for a switch of this role, as a bit mask.

    The second switch that chooses on a packet's way leaves the protocol out: without a seed of its own (before Linux
    6.11) it would repeat the choice of the first one, and use only one of its uplinks.
    """
    return _ADDRESSES_AND_PORTS if role in _SECOND_CHOICE else FIVE_TUPLE
