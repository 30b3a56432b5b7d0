"""Text that programs of the device print themselves, for vendors whose software the device really runs."""

from dataclasses import replace

from netopsbench.vendors.command import Answer, Look, View
from netopsbench.vendors.facts import Printed


class RouterPrinted(Printed):
    """By the routing software, to the words of the command."""


class KernelPrinted(Printed):
    """By a program of the operating system, whose arguments are the words of the command."""


def as_printed(printed: Printed, view: View) -> str:
    """The lines with the vendor's names of interfaces, where these differ."""
    return view.names.in_text("\n".join(printed.lines)) if view.vendor == "sonic" else "\n".join(printed.lines)


def printed_for(begins: str, instead: str) -> Answer:
    """The routing software's words to a command that it knows under another beginning."""

    def answer(source: Look, view: View) -> str:
        words = tuple(" ".join(view.words).replace(begins, instead, 1).split())
        return as_printed(source.look(RouterPrinted, replace(view, words=words)), view)

    return answer
