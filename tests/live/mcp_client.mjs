// Calls tools with the official TypeScript client: node mcp_client.mjs SDK_FOLDER < order.json
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const sdk = (file) => import(pathToFileURL(`${process.argv[2]}/client/${file}.js`).href);
const { Client } = await sdk("index");
const { StdioClientTransport } = await sdk("stdio");
const { StreamableHTTPClientTransport } = await sdk("streamableHttp");

const order = JSON.parse(readFileSync(0, "utf8"));
const [command, ...args] = order.command;
const transport = command
  ? new StdioClientTransport({ command, args, env: process.env, stderr: "ignore" })
  : new StreamableHTTPClientTransport(new URL(order.url), {
      requestInit: { headers: { Authorization: `Bearer ${order.token}` } },
    });
const client = new Client({ name: "tests", version: "1" });
await client.connect(transport);
const { tools } = await client.listTools();
const heard = [];
for (const call of order.calls) {
  const answer = await client.callTool(call, undefined, { timeout: 90000 });
  heard.push({
    is_error: Boolean(answer.isError),
    texts: answer.content.map((part) => part.text),
    structured: answer.structuredContent ?? null,
  });
}
process.stdout.write(JSON.stringify({ tools: tools.map((tool) => tool.name), heard }));
await client.close();
