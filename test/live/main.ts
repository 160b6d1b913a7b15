// What was typed, and each network in turn.
import { writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { startSimulators } from "../../simulators/server.ts";
import type { Json } from "../../src/domain/json.ts";
import { SettingsError } from "../../src/domain/settings-error.ts";
import { findNetwork, networks } from "../../src/networks/index.ts";
import type { Network } from "../../src/networks/network.ts";
import { readSettings, type Settings } from "../../src/settings.ts";
import { recordedExchanges } from "../networks/descriptions/recorder.ts";
import { checkNetwork, connectWith, type Finding, type Left } from "./check.ts";
import { readShelf, simulatedShelf } from "./files.ts";
import { liveIO, type TimedCall, timed } from "./io.ts";
import { personAt } from "./person.ts";
import { walkQuestions } from "./questions.ts";
import { keepRefreshToken, renewedInput } from "./renewal.ts";
import { endOf, lineOf, unexpected } from "./report.ts";
import { formatNetwork } from "./report-file.ts";
import { type Environment, inputVariables, readInput, readOptions, secretsIn, withoutSecrets } from "./settings.ts";
import { signInByConsent } from "./sign-in.ts";

const USAGE = `npm run live -- bluesky telegram    tries networks with the accounts that the environment names
  --simulators   with simulated accounts on this machine; of all networks, where none is named
  --consent      signs in with a person's consent in a browser, also where tokens are set
  --questions    then asks you, one by one, what no page of the network says: what to try, what it settles, what it costs
  --report FILE  writes all of it to a file that you can send; tokens and passwords are shown as ***
  --variables    says which variables each network reads, and ends
Each posts a text, an image and a video where the network takes them, reads them back and takes them down again.
Exit code 0: nothing is wrong; 1: something is; 2: not understood.`;

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
const tried = chosen.map(
  (name) => findNetwork(name) ?? usage(`No network is called ${name}. There are ${platforms.join(", ")}.`),
);
if (tried.length === 0 && !values.variables) usage(`Which network? There are ${platforms.join(", ")}.`);

if (values.variables) {
  for (const network of tried.length > 0 ? tried : networks) {
    const name = network.rule.platform.toUpperCase();
    const inputs = inputVariables(network).map(({ name, needed }) => (needed ? name : `[${name}]`));
    const app = network.consent === undefined ? [] : [`[${name}_CLIENT_ID]`, `[${name}_CLIENT_SECRET]`];
    console.log(`${network.rule.platform.padEnd(10)} ${[...inputs, ...app, `[${name}_OPTIONS]`].join(" ")}`);
  }
  process.exit(0);
}

/** What of the environment concerns the networks: an operator may have more of it set, as PAUSED. */
function settingsOf(env: Environment): Settings {
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

/** The wait of a network, which the person may end, and how long waits are when they did. */
const PAUSE_WHEN_STOPPED_MS = 1_000;
const stop = { asked: false, wake: new Set<() => void>() };
const stopped = new AbortController();
const person = personAt(process.stdin, process.stdout, stopped.signal);

async function pause(ms: number): Promise<void> {
  await new Promise<void>((go) => {
    const end = () => {
      clearTimeout(timer);
      stop.wake.delete(end);
      go();
    };
    const timer = setTimeout(end, stop.asked ? Math.min(ms, PAUSE_WHEN_STOPPED_MS) : ms);
    if (!stop.asked) stop.wake.add(end);
  });
}

/** Nothing is wrong: true. */
async function tryNetwork(network: Network, settings: Settings, demo: Demo | null): Promise<boolean> {
  const { platform } = network.rule;
  const secrets = new Set<string>();
  const findings: Finding[] = [];
  const tell = (finding: Finding) => {
    findings.push(finding);
    console.log(withoutSecrets(lineOf(finding), secrets));
  };
  const calls: TimedCall[] = [];
  const left = new Set<Left>();
  leftNow = left;
  const before = recordedExchanges().length;
  const io = timed(liveIO(platform, settings), calls);
  if (io.app !== null) secrets.add(io.app.clientSecret);
  const simulated = demo?.accounts.find((one) => one.platform === platform);
  const shelf = settings.sandboxUrl === null ? readShelf(process.env) : simulatedShelf(settings.sandboxUrl);
  console.log(`\n${platform}`);
  let newest: Json = null;
  const open = ["identifier", "service", "chat_id", "account_id", "expires_at"];
  await checkNetwork({
    network,
    io,
    async signIn() {
      const given = async () =>
        (await renewedInput(network, io, process.env)) ??
        readInput(network, process.env) ??
        simulated?.credentials ??
        null;
      const input = values.consent ? null : await given();
      newest = input;
      for (const [field, value] of Object.entries(input ?? {})) if (!open.includes(field)) secrets.add(String(value));
      if (input !== null) return connectWith(network, input, io);
      return signInByConsent(network, io, process.env, person.ask);
    },
    options: readOptions(network, process.env),
    callsSoFar: () => calls.length,
    shelf,
    pause: settings.sandboxUrl === null ? pause : (ms) => pause(Math.min(ms, SIMULATED_PAUSE_MS)),
    stopped: () => stop.asked,
    tell,
    left,
    keepSecret(account) {
      newest = account.credential;
      for (const secret of secretsIn(account.credential, [account.accountId, account.handle, account.profileUrl])) {
        secrets.add(secret);
      }
    },
  });
  await shelf?.clear();
  const file = await keepRefreshToken(network, newest, process.env);
  if (file !== null) {
    const says = `the refresh token of the environment may be used up: the one that counts is in ${file}`;
    tell({ what: "connect", state: "warning", says });
  }
  const deviations = unexpected(recordedExchanges().slice(before));
  for (const finding of endOf({ calls, deviations, left }, network.takeDown !== undefined)) tell(finding);
  const answered = values.questions && !stop.asked ? await walkQuestions(platform, person.ask) : [];
  reports.push(formatNetwork({ platform, isSimulated: settings.sandboxUrl !== null, findings, answered, secrets }));
  return !findings.some(({ state }) => state === "failed");
}

const reports: string[] = [];
/** Simulated networks are ready at once. */
const SIMULATED_PAUSE_MS = 20;
let leftNow: ReadonlySet<Left> = new Set();

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(signal, () => {
    if (stop.asked) {
      for (const { what, where } of leftNow) console.log(`left: the ${what}, or it may be there: ${where}`);
      process.exit(130);
    }
    stop.asked = true;
    stopped.abort();
    console.log("Stopping; what was posted is taken down first. Once more, and it is left there.");
    for (const end of [...stop.wake]) end();
  });
}

const simulators = values.simulators ? await startSimulators({ port: 0 }) : null;
const env: Environment =
  simulators === null ? process.env : { ...process.env, PROVIDER: "sandbox", SANDBOX_URL: simulators.url };
const settings = settingsOf(env);
const demo: Demo | null =
  settings.sandboxUrl === null ? null : await (await fetch(`${settings.sandboxUrl}/_sim/demo`)).json();
let isWell = true;
for (const network of tried) {
  if (stop.asked) break;
  isWell = (await tryNetwork(network, settings, demo)) && isWell;
}
person.close();
await simulators?.close();
if (values.report !== undefined) {
  const day = new Date().toISOString().slice(0, 10);
  await writeFile(values.report, `# Crier's connectors, tried live on ${day}\n\n${reports.join("\n")}`);
  console.log(`\nThe report is in ${values.report}. It has no secrets; read it before you send it.`);
}
process.exitCode = isWell && !stop.asked ? 0 : 1;
