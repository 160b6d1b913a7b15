// One release that runs on this machine with meters and its own simulators.
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { freePort } from "../../scripts/local/ports.ts";
import { listRuntimes } from "../../scripts/local/processes.ts";
import { startWorker, type WorkerProcess } from "../../scripts/local/worker-process.ts";
import { type Simulators, startSimulators } from "../../simulators/server.ts";
import type { Counts, Meters, MetersInput } from "./meters.ts";
import { type Call, makeCaller } from "./world.ts";

export interface Engine {
  name: string;
  call: Call;
  worker: WorkerProcess;
  simulators: Simulators;
  /** The folder of its state. */
  stateFolder: string;
  /** Its processes. */
  runtimes: number[];
  /** Whether its settings log each invocation. */
  logsInvocations: boolean;
  /** Returns the usage since the last call, and sets what is counted from now on. */
  meters(counts: Counts, roundTripMs?: number): Promise<Meters>;
  /** Ends its processes and deletes its files. */
  stop(): Promise<void>;
}

/** Starts the release in `folder` (default: this repository) under the name `name`, with additional settings. */
export async function startEngine(
  name: string,
  folder = join(import.meta.dirname, "../.."),
  settings: Record<string, string> = {},
): Promise<Engine> {
  const root = resolve(folder);
  const stateFolder = await mkdtemp(join(tmpdir(), "crier-bench-"));
  const entryFolder = join(root, ".wrangler", `bench-${process.pid}-${name.replaceAll(/\W/g, "-")}`);
  const simulators = await startSimulators({ port: 0 });
  let worker: WorkerProcess | undefined;
  const stop = async () => {
    await worker?.stop();
    await simulators.close();
    await rm(stateFolder, { recursive: true, force: true });
    await rm(entryFolder, { recursive: true, force: true });
  };
  try {
    await mkdir(entryFolder, { recursive: true });
    const script = join(entryFolder, "worker.ts");
    const configuration = await readFile(join(root, "wrangler.toml"), "utf8");
    await writeFile(script, makeEntry(configuration, root, entryFolder));
    worker = await startWorker({
      port: await freePort(),
      sandboxUrl: simulators.url,
      stateFolder,
      script: relative(root, script),
      root,
      settings,
    });
    const call = makeCaller(worker.url);
    const input = (counts: Counts, roundTripMs: number): MetersInput => ({ counts, roundTripMs });
    return {
      name,
      call,
      worker,
      simulators,
      stateFolder,
      runtimes: await listRuntimes(worker.pid),
      logsInvocations: !/invocation_logs\s*=\s*false/.test(configuration),
      meters: (counts, roundTripMs = 0) => call<Meters>("POST", "/_bench/meters", null, input(counts, roundTripMs)),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Writes an entry file with the release's own exports, each object behind a meter. */
function makeEntry(configuration: string, root: string, folder: string): string {
  const classes = [...configuration.matchAll(/class_name = "(\w+)"/g)].map(([, name]) => name);
  const path = (file: string) => JSON.stringify(relative(folder, file));
  return [
    `import release, { ${classes.join(", ")} } from ${path(join(root, "src/index.ts"))};`,
    `import { meteredObject, meteredWorker } from ${path(join(import.meta.dirname, "meters.ts"))};`,
    ...classes.map((name, i) => `const metered${i} = meteredObject(${name}, "${name}");`),
    `export { ${classes.map((name, i) => `metered${i} as ${name}`).join(", ")} };`,
    "export default meteredWorker(release);",
    "",
  ].join("\n");
}
