"""Truths and answers out of the words of the manual, `packet_loss at leaf1:eth1 or spine1:eth1`."""

from netopsbench.records.answers import Answer, Finding, Location
from netopsbench.records.truth import FaultTruth, Truth


def truth_of(words: str) -> Truth:
    if words == "healthy":
        return Truth()
    fault_type, _, places = words.partition(" at ")
    return Truth(faults=(FaultTruth(fault_type=fault_type, accepted=tuple(map(_place, places.split(" or ")))),))


def answered(words: str) -> Answer:
    if words == "network_healthy":
        return Answer(verdict="network_healthy")
    fault_type, _, place = words.partition(" at ")
    return Answer(verdict="fault_detected", findings=(Finding(fault_type=fault_type, location=_place(place)),))


def _place(words: str) -> Location:
    device, _, interface = words.partition(":")
    return Location(device=device, interface=interface or None)
