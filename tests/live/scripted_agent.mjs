// The same with the official TypeScript client: node scripted_agent.mjs SCRIPT SDK_FOLDER
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [script, folder] = process.argv.slice(2);
const sdk = (file) => import(pathToFileURL(`${folder}/client/${file}.js`).href);
const { Client } = await sdk("index");
const { StdioClientTransport } = await sdk("stdio");

const { calls, answer } = JSON.parse(readFileSync(script, "utf8"));
const [command, ...args] = process.env.NETOPSBENCH_MCP.split(" ");
const transport = new StdioClientTransport({ command, args, env: process.env, stderr: "ignore" });
const client = new Client({ name: "scripted", version: "1" });
await client.connect(transport);
await client.listTools();
for (const [name, given] of calls) {
  await client.callTool({ name, arguments: given }, undefined, { timeout: 90000 });
}
await client.close();
process.stdout.write(JSON.stringify(answer));
