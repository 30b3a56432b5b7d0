"""What somebody with a shell on every switch reads without reading any word: lengths, and numbers of files."""

from collections.abc import Sequence

from netopsbench.fabric.engine import Fabric

_LOOK = (
    "vtysh -H /dev/null -c 'show running-config' | wc -l; "
    "cat /etc/frr/*.conf | wc -l; "
    "ls -i /etc/frr | sort -k 2 | while read -r number name; do echo $number; done"
)


def shell_view(fabric: Fabric, switches: Sequence[str]) -> list[float]:
    """Lines of the running and the saved configuration, and inode numbers of all files in /etc/frr, over all switches.

    Each as lowest, highest, sum and spread: which switch it is says nothing over many cases. Numbers of files are
    counted from the lowest of all, and told for each file too, in ascending order.
    """
    running: list[float] = []
    saved: list[float] = []
    numbers: list[list[int]] = []
    for name in switches:
        done = fabric.exec(name, ["sh", "-c", _LOOK])
        first, second, *rest = (int(word) for word in done.stdout.split())
        running.append(first)
        saved.append(second)
        numbers.append(rest)
    lowest = min(map(min, numbers))
    highest = sorted(max(each) - lowest for each in numbers)
    spans = sorted(max(each) - min(each) for each in numbers)
    return [
        *_shape(running),
        *_shape(saved),
        *highest,
        *spans,
        sum(map(sum, numbers)) - lowest * sum(map(len, numbers)),
    ]


def _shape(figures: list[float]) -> tuple[float, ...]:
    return min(figures), max(figures), sum(figures), max(figures) - sorted(figures)[-2]
