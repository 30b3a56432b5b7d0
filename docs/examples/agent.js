// An agent in JavaScript: names a port that has no carrier. Node's own modules only.
const net = require("node:net");
const readline = require("node:readline");
const question = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
const peer = net.connect(process.env.NETOPSBENCH_TOOLS);
const replies = readline.createInterface({ input: peer })[Symbol.asyncIterator]();

async function call(tool, args = {}) {
  peer.write(JSON.stringify({ id: 1, tool, arguments: args }) + "\n");
  return JSON.parse((await replies.next()).value).result ?? {};
}

async function main() {
  const links = ((await call("get_topology")).links ?? []).slice(0, question.budget.tool_calls - 1);
  for (const { a, b } of links) {
    const port = [a, b].find((end) => end.device.includes("leaf")) ?? a;
    const shown = (await call("get_device_interfaces", { device: port.device })).interfaces ?? [];
    if (shown.some((each) => each.name === port.interface && !each.has_carrier)) {
      const location = { device: port.device, interface: port.interface };
      return { verdict: "fault_detected", findings: [{ fault_type: "link_down", location }] };
    }
  }
  return { verdict: "network_healthy", confidence: 0.5 };
}
main().then((answer) => { console.log(JSON.stringify(answer)); process.exit(0); });
