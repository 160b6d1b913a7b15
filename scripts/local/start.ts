// `npm start`: Crier with the simulators of its networks, on this machine alone, until Ctrl-C.
import { startSimulators } from "../../simulators/server.ts";
import { runDemo } from "./demo.ts";
import { whenStopped } from "./when-stopped.ts";
import { startWorker, type WorkerProcess } from "./worker-process.ts";

const port = Number(process.env.PORT ?? 8787);
const simulatorPort = Number(process.env.SIM_PORT ?? 8788);
const stateFolder = process.env.CRIER_STATE ?? ".wrangler/state";

const startedAt = Date.now();
const simulators = await startSimulators({ port: simulatorPort }).catch((error: Error) => {
  throw new Error(`The simulators cannot start on port ${simulatorPort} (SIM_PORT): ${error.message}`);
});
let worker: WorkerProcess | undefined;
let stopping = false;

async function stop(code: number): Promise<void> {
  if (stopping) return;
  stopping = true;
  await worker?.stop();
  await simulators.close();
  process.exit(code);
}
whenStopped(() => void stop(0));

try {
  worker = await startWorker({ port, sandboxUrl: simulators.url, stateFolder });
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  await stop(1);
  throw error;
}
void worker.ended.then((code) => {
  if (stopping) return;
  console.error(`The worker ended by itself (exit code ${code}); see ${worker?.logFile}`);
  void stop(1);
});

console.log(`Crier       ${worker.url}`);
console.log(`Networks    ${simulators.url}   (what was published)`);
console.log(`Log         ${worker.logFile}`);
console.log(`ready after ${((Date.now() - startedAt) / 1000).toFixed(1)} s`);
if (process.env.DEMO !== "0") {
  try {
    await runDemo(worker.url, simulators.url);
  } catch (error) {
    console.error(`The demo stopped: ${error instanceof Error ? error.message : error}`);
  }
}
