// `npm start`: runs Crier with the simulators, on this machine only, until Ctrl-C.
import { type Simulators, startSimulators } from "../../simulators/server.ts";
import { demoAccount, runDemo } from "./demo.ts";
import { announce, findPlaces, simulatorState } from "./places.ts";
import { whenStopped } from "./when-stopped.ts";
import { startWorker, type WorkerProcess } from "./worker-process.ts";

const startedAt = Date.now();
const stopping = new AbortController();
let simulators: Simulators | undefined;
let worker: Promise<WorkerProcess> | undefined;

// From here on, a stop ends everything that has been started.
whenStopped(() => void stop(0));
try {
  await run();
} catch (error) {
  if (!stopping.signal.aborted) console.error(error instanceof Error ? error.message : error);
  await stop(1);
}

async function run(): Promise<void> {
  const { port, simulatorPort, stateFolder } = await findPlaces(process.env);
  console.log("Starting. The first start takes a while.");
  const home = `http://127.0.0.1:${port}`;
  simulators = await startSimulators({ port: simulatorPort, stateFolder: simulatorState(stateFolder), home });
  await announce(stateFolder, { url: home, simulators: simulators.url });
  stopping.signal.throwIfAborted();
  const isDemo = process.env.DEMO !== "0";
  worker = startWorker({
    port,
    sandboxUrl: simulators.url,
    stateFolder,
    settings: isDemo ? demoSettings(await demoAccount(stateFolder)) : {},
    signal: stopping.signal,
  });
  const { url, logFile, ended } = await worker;
  void ended.then((code) => {
    if (stopping.signal.aborted) return;
    console.error(`The worker stopped unexpectedly (exit code ${code}); see ${logFile}`);
    void stop(1);
  });

  console.log(`Crier       ${url}   (API: ${url}/docs)`);
  console.log(`Networks    ${simulators.url}   (published posts)`);
  console.log(`Log         ${logFile}`);
  console.log(`ready after ${((Date.now() - startedAt) / 1000).toFixed(1)} s; press Ctrl-C to stop`);
  if (!isDemo) return;
  try {
    await runDemo(url, simulators.url, stateFolder);
  } catch (error) {
    if (!stopping.signal.aborted) console.error(`The demo stopped: ${error instanceof Error ? error.message : error}`);
  }
}

function demoSettings({ email, password }: { email: string; password: string }): Record<string, string> {
  return { DEMO_EMAIL: email, DEMO_PASSWORD: password };
}

/** Ends everything that was started, and then this process. The first exit code counts. */
async function stop(code: number): Promise<void> {
  if (stopping.signal.aborted) return;
  stopping.abort();
  await (await worker?.catch(() => undefined))?.stop();
  await simulators?.close();
  process.exit(code);
}
