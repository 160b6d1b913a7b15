// The ports and the state of a local run, and the suggested command if one of them is in use.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { isTaken, nextFreePort, parsePort } from "./ports.ts";

export interface Places {
  port: number;
  simulatorPort: number;
  /** As named by the user. */
  stateFolder: string;
}
type Environment = Record<string, string | undefined>;

/** The ports and state that the environment names. Throws an explanation for the user if they are unavailable. */
export async function findPlaces(env: Environment): Promise<Places> {
  const port = parsePort("PORT", env.PORT, 8787);
  const simulatorPort = parsePort("SIM_PORT", env.SIM_PORT, 8788);
  const stateFolder = env.CRIER_STATE || ".wrangler/state";
  const running = await runningWith(stateFolder);
  const takenPorts = { PORT: await isTaken(port), SIM_PORT: port === simulatorPort || (await isTaken(simulatorPort)) };
  if (running === null && !takenPorts.PORT && !takenPorts.SIM_PORT) return { port, simulatorPort, stateFolder };

  const next = takenPorts.PORT ? await nextFreePort(Math.max(port, simulatorPort), []) : port;
  const simulators = takenPorts.SIM_PORT ? await nextFreePort(Math.max(port, simulatorPort), [next]) : simulatorPort;
  const settings: [string, string, boolean][] = [
    ["PORT", String(next), takenPorts.PORT || Boolean(env.PORT)],
    ["SIM_PORT", String(simulators), takenPorts.SIM_PORT || Boolean(env.SIM_PORT)],
    [
      "CRIER_STATE",
      running === null ? stateFolder : `${stateFolder}-${next}`,
      running !== null || Boolean(env.CRIER_STATE),
    ],
  ];
  const command = [
    ...settings.flatMap(([name, value, isShown]) => (isShown ? [`${name}=${quoted(value)}`] : [])),
    "npm start",
  ];
  const reasons = [
    running === null ? null : `Crier is already running with the state in ${stateFolder}: ${running}`,
    running === null && takenPorts.PORT ? `Port ${port} (PORT) is used by another program.` : null,
    running === null && takenPorts.SIM_PORT
      ? `Port ${simulatorPort} (SIM_PORT) is used by ${port === simulatorPort ? "PORT" : "another program"}.`
      : null,
  ];
  throw new Error(
    `${reasons.filter((line) => line !== null).join("\n")}\nThis command works:\n\n  ${command.join(" ")}\n`,
  );
}

interface Announced {
  url: string;
  simulators: string;
}
const announcement = (stateFolder: string) => join(stateFolder, "running.json");

/** Records in the state folder which run uses it. */
export async function announce(stateFolder: string, run: Announced): Promise<void> {
  await mkdir(stateFolder, { recursive: true });
  await writeFile(announcement(stateFolder), JSON.stringify(run));
}

/** The address of the run that uses a state; null if none does. A killed run leaves its record, so the run is asked. */
export async function runningWith(stateFolder: string): Promise<string | null> {
  try {
    const { url, simulators }: Announced = JSON.parse(await readFile(announcement(stateFolder), "utf8"));
    const { folder }: { folder: unknown } = await (await fetch(`${simulators}/_sim/state`)).json();
    return folder === simulatorState(stateFolder) ? url : null;
  } catch {
    return null;
  }
}

/** The folder in which the simulators of a run store their state. */
export const simulatorState = (stateFolder: string) => resolve(stateFolder, "simulators");

const quoted = (value: string) => (/^[\w./:-]+$/.test(value) ? value : `'${value.replaceAll("'", `'\\''`)}'`);
