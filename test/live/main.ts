// Reads the arguments, and tests each network in turn.
import { writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { startSimulators } from "../../simulators/server.ts";
import type { Json } from "../../src/domain/json.ts";
import { SettingsError } from "../../src/domain/settings-error.ts";
import { findNetwork, networks } from "../../src/networks/index.ts";
import type { Network } from "../../src/networks/network.ts";
import { readSettings, type Settings } from "../../src/settings.ts";
import { recordedExchanges } from "../networks/descriptions/recorder.ts";
import { canTakeDown, checkNetwork, connectWith } from "./check.ts";
import { readPublicFiles, simulatedFiles } from "./files.ts";
import { liveIO, type TimedCall, timed } from "./io.ts";
import type { Finding, RemainingPost } from "./live-check.ts";
import { personAt } from "./person.ts";
import { walkQuestions } from "./questions.ts";
import { keepRefreshToken, renewedInput } from "./renewal.ts";
import { formatFinding, listDeviations, listFinalFindings } from "./report.ts";
import { formatNetwork } from "./report-file.ts";
import { type Environment, inputVariables, readInput, readOptions, secretsIn, withoutSecrets } from "./settings.ts";
import { signInByConsent } from "./sign-in.ts";

const USAGE = `npm run live -- bluesky telegram    tests networks with the accounts in the environment
  --simulators   uses simulated accounts on this machine, of all networks if none is named
  --consent      signs in by a person's consent in a browser, even if tokens are set
  --questions    then asks you the questions that no page of the network answers: what to try, what it shows, what it costs
  --report FILE  writes everything to a file that you can send; tokens and passwords are shown as ***
  --variables    prints the variables that each network reads, and ends
Each posts a text, an image and a video if the network accepts them, reads them back and takes them down again.
Exit code 0: nothing failed; 1: something failed; 2: wrong arguments.`;

const platforms = networks.map(({ rule }) => rule.platform);

function usage(complaint: string): never {
  console.error(`${complaint}\n${USAGE}`);
  process.exit(2);
}

function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        simulators: { type: "boolean", default: false },
        consent: { type: "boolean", default: false },
        questions: { type: "boolean", default: false },
        report: { type: "string" },
        variables: { type: "boolean", default: false },
      },
    });
  } catch (error) {
    return usage(error instanceof Error ? error.message : String(error));
  }
}

const { values, positionals } = readArguments();
const chosen = values.simulators && positionals.length === 0 ? platforms : positionals;
const testedNetworks = chosen.map(
  (name) => findNetwork(name) ?? usage(`No network is called ${name}. The networks are ${platforms.join(", ")}.`),
);
if (testedNetworks.length === 0 && !values.variables) usage(`Name at least one network: ${platforms.join(", ")}.`);

if (values.variables) {
  for (const network of testedNetworks.length > 0 ? testedNetworks : networks) {
    const name = network.rule.platform.toUpperCase();
    const inputs = inputVariables(network).map(({ name, isRequired }) => (isRequired ? name : `[${name}]`));
    const app = network.consent === undefined ? [] : [`[${name}_CLIENT_ID]`, `[${name}_CLIENT_SECRET]`];
    console.log(`${network.rule.platform.padEnd(10)} ${[...inputs, ...app, `[${name}_OPTIONS]`].join(" ")}`);
  }
  process.exit(0);
}

/** The settings of the networks from the environment, which may also contain others of an operator, such as PAUSED. */
function readNetworkSettings(env: Environment): Settings {
  const { PROVIDER, SANDBOX_URL } = env;
  const apps = Object.entries(env).filter(([name]) => /^[A-Z]+_(CLIENT_ID|CLIENT_SECRET|SCOPES)$/.test(name));
  const sandbox = PROVIDER === "sandbox" ? { PROVIDER, SANDBOX_URL, ALLOW_PRIVATE_ADDRESSES: "1" } : {};
  try {
    return readSettings({ ...Object.fromEntries(apps), ...sandbox });
  } catch (error) {
    if (error instanceof SettingsError) return usage(error.message);
    throw error;
  }
}

interface Demo {
  accounts: { platform: string; credentials: Json }[];
}

/** The longest wait after the person has stopped the check. */
const PAUSE_WHEN_STOPPED_MS = 1_000;
const stop = { isRequested: false, wake: new Set<() => void>() };
const stopped = new AbortController();
const person = personAt(process.stdin, process.stdout, stopped.signal);

async function pause(ms: number): Promise<void> {
  await new Promise<void>((go) => {
    const end = () => {
      clearTimeout(timer);
      stop.wake.delete(end);
      go();
    };
    const timer = setTimeout(end, stop.isRequested ? Math.min(ms, PAUSE_WHEN_STOPPED_MS) : ms);
    if (!stop.isRequested) stop.wake.add(end);
  });
}

/** Returns whether nothing failed. */
async function tryNetwork(network: Network, settings: Settings, demo: Demo | null): Promise<boolean> {
  const { platform } = network.rule;
  const secrets = new Set<string>();
  const findings: Finding[] = [];
  const tell = (finding: Finding) => {
    findings.push(finding);
    console.log(withoutSecrets(formatFinding(finding), secrets));
  };
  const calls: TimedCall[] = [];
  const remaining = new Set<RemainingPost>();
  remainingNow = remaining;
  const before = recordedExchanges().length;
  const io = timed(liveIO(platform, settings), calls);
  if (io.app !== null) secrets.add(io.app.clientSecret);
  const simulated = demo?.accounts.find((account) => account.platform === platform);
  const publicFiles = settings.sandboxUrl === null ? readPublicFiles(process.env) : simulatedFiles(settings.sandboxUrl);
  console.log(`\n${platform}`);
  let newest: Json = null;
  let takesDown = network.takeDown !== undefined;
  const open = ["identifier", "service", "chat_id", "account_id", "expires_at"];
  await checkNetwork({
    network,
    io,
    async signIn() {
      const readGivenInput = async () =>
        (await renewedInput(network, io, process.env)) ??
        readInput(network, process.env) ??
        simulated?.credentials ??
        null;
      const input = values.consent ? null : await readGivenInput();
      newest = input;
      for (const [field, value] of Object.entries(input ?? {})) if (!open.includes(field)) secrets.add(String(value));
      if (input !== null) return connectWith(network, input, io);
      return signInByConsent(network, io, process.env, person.ask);
    },
    options: readOptions(network, process.env),
    callsSoFar: () => calls.length,
    publicFiles,
    pause: settings.sandboxUrl === null ? pause : (ms) => pause(Math.min(ms, SIMULATED_PAUSE_MS)),
    stopped: () => stop.isRequested,
    tell,
    remaining,
    keepSecret(account) {
      newest = account.credential;
      takesDown = canTakeDown(network, account);
      for (const secret of secretsIn(account.credential, [account.accountId, account.handle, account.profileUrl])) {
        secrets.add(secret);
      }
    },
  });
  await publicFiles?.clear();
  const file = await keepRefreshToken(network, newest, process.env);
  if (file !== null) {
    const message = `the refresh token of the environment may be used up: the valid one is in ${file}`;
    tell({ subject: "connect", state: "warning", message });
  }
  const deviations = listDeviations(recordedExchanges().slice(before));
  for (const finding of listFinalFindings({ calls, deviations, remaining }, takesDown)) tell(finding);
  const answered = values.questions && !stop.isRequested ? await walkQuestions(platform, person.ask) : [];
  reports.push(formatNetwork({ platform, isSimulated: settings.sandboxUrl !== null, findings, answered, secrets }));
  return !findings.some(({ state }) => state === "failed");
}

const reports: string[] = [];
/** Simulated networks are ready at once. */
const SIMULATED_PAUSE_MS = 20;
let remainingNow: ReadonlySet<RemainingPost> = new Set();

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(signal, () => {
    if (stop.isRequested) {
      for (const { subject, address } of remainingNow)
        console.log(`remaining: the ${subject} is on the network, or may be: ${address}`);
      process.exit(130);
    }
    stop.isRequested = true;
    stopped.abort();
    console.log("Stopping. The published posts are taken down first; a second Ctrl-C leaves them on the network.");
    for (const end of [...stop.wake]) end();
  });
}

const simulators = values.simulators ? await startSimulators({ port: 0 }) : null;
const env: Environment =
  simulators === null ? process.env : { ...process.env, PROVIDER: "sandbox", SANDBOX_URL: simulators.url };
const settings = readNetworkSettings(env);
const demo: Demo | null =
  settings.sandboxUrl === null ? null : await (await fetch(`${settings.sandboxUrl}/_sim/demo`)).json();
let isSuccessful = true;
for (const network of testedNetworks) {
  if (stop.isRequested) break;
  isSuccessful = (await tryNetwork(network, settings, demo)) && isSuccessful;
}
person.close();
await simulators?.close();
if (values.report !== undefined) {
  const day = new Date().toISOString().slice(0, 10);
  await writeFile(values.report, `# Crier's connectors, tested live on ${day}\n\n${reports.join("\n")}`);
  console.log(`\nThe report is in ${values.report}. It has no secrets; read it before you send it.`);
}
process.exitCode = isSuccessful && !stop.isRequested ? 0 : 1;
