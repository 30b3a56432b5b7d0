"""What a trial is worth."""

from netopsbench.core.model import Model


class Score(Model):
    """The grade of one scored trial, 0 to 1."""

    trial_id: str
    case_id: str
    agent: str
    strict: float
    """The interface counts only together with its device. The headline."""
    paper: float
    """As published: device and interface count by themselves."""
    is_detected: bool
    """The verdict was right: fault in a faulty case, healthy in a healthy one."""
    is_device_right: bool | None
    """None in a healthy case."""
    is_interface_right: bool | None
    """Together with its device; None when the truth names no interface."""
    is_type_right: bool | None
    """By exact label or alias; never part of the score. None in a healthy case."""
    why: str
