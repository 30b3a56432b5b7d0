"""An agent in plain Python: names a port that has no carrier."""

import json
import os
import socket
import sys

question = json.load(sys.stdin)
with socket.socket(socket.AF_UNIX) as peer:
    peer.connect(os.environ["NETOPSBENCH_TOOLS"])
    lines = peer.makefile("rw")

    def call(tool, **arguments):
        lines.write(json.dumps({"id": 1, "tool": tool, "arguments": arguments}) + "\n")
        lines.flush()
        return json.loads(lines.readline()).get("result", {})

    answer = {"verdict": "network_healthy", "confidence": 0.5}
    links = call("get_topology").get("links", [])
    for link in links[: question["budget"]["tool_calls"] - 1]:
        port = next((end for end in (link["a"], link["b"]) if "leaf" in end["device"]), link["a"])
        for shown in call("get_device_interfaces", device=port["device"]).get("interfaces", []):
            if shown["name"] == port["interface"] and not shown["has_carrier"]:
                place = {"device": port["device"], "interface": port["interface"]}
                answer = {"verdict": "fault_detected", "findings": [{"fault_type": "link_down", "location": place}]}
print(json.dumps(answer))
