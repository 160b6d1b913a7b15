// `npm run simulators`: runs the simulators without Crier, on this machine only, until Ctrl-C. Arguments select some of the
// networks.
import { startSimulators } from "../../simulators/server.ts";
import { whenStopped } from "./when-stopped.ts";

const chosen = process.argv.slice(2);
const port = Number(process.env.SIM_PORT ?? 8788);
const { url, all, conditions, close } = await startSimulators({ port });
const names = all.map(({ platform }) => platform);
const unknown = chosen.filter((name) => !names.includes(name));
if (unknown.length > 0) {
  console.error(`Unknown network: ${unknown.join(", ")}. The networks are ${names.join(", ")}.`);
  await close();
  process.exit(2);
}
for (const name of names) if (chosen.length > 0 && !chosen.includes(name)) conditions.down.add(name);

const running = names.filter((name) => !conditions.down.has(name));
console.log(`Networks    ${url}   (published posts)`);
for (const name of running) console.log(`  ${name.padEnd(10)} ${url}/${name}`);
console.log(`Accounts    ${url}/_sim/demo`);
whenStopped(() => void close().then(() => process.exit(0)));
