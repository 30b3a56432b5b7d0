"""Run beside the nodes: sends real UDP packets with rising TTL and says who answered; standard library only.

Request, one JSON line: pid of the client, whether the socket is connected, source, destination, source port,
destination port. Reply, one JSON line:
the source address of each "time exceeded", in order of TTL, up to the hop that answered nothing.
"""

import json
import select
import socket
import struct
import sys

from netopsbench.fabric import netlink

_IP_RECVERR = 11
_MOST_HOPS = 8


def answering(pid: int, connects: bool, flow: list) -> list[str]:
    source, destination, source_port, destination_port = flow
    with netlink.inside(pid):
        line = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    with line:
        line.bind((source, source_port))
        line.setsockopt(socket.IPPROTO_IP, _IP_RECVERR, 1)
        if connects:
            line.connect((destination, destination_port))
        found = []
        for ttl in range(1, _MOST_HOPS):
            line.setsockopt(socket.IPPROTO_IP, socket.IP_TTL, ttl)
            line.sendto(b"trace", (destination, destination_port))
            poll = select.poll()
            poll.register(line, select.POLLERR | select.POLLIN)
            if not poll.poll(300):
                break
            _, ancillary, _, _ = line.recvmsg(64, 512, socket.MSG_ERRQUEUE)
            offender = ancillary[0][2][16:]
            kind = ancillary[0][2][5]
            if kind != 11:
                break
            found.append(socket.inet_ntoa(struct.unpack_from("=HH4s", offender)[2]))
        return found


for line in sys.stdin:
    request = json.loads(line)
    print(json.dumps(answering(request["pid"], request["connects"], request["flow"])), flush=True)
