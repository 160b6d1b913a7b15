import { type Answer, type Body, type Client, patiently, sleep } from "../api/client.ts";
import type { Channel } from "../channel.ts";
import { allChannels, spoken } from "../channels.ts";
import { command, type Shell } from "../command.ts";
import { EXIT, Failure, usage } from "../failure.ts";
import { spanText } from "../output/format.ts";
import { oneLine } from "../output/terminal.ts";
import { getRule, type Rule } from "../rules.ts";
import { COMMON, signedIn, warn, writeJson } from "../session.ts";

export const connect = command({
  name: "connect",
  summary: "Connect an account on a network.",
  details:
    "For networks with browser consent (with --browser, also for those that offer it besides credentials), this command opens an address, prints it so that you can send it to the account's owner, " +
    "and waits until the channel is connected. For other networks, it asks for the credentials, hidden as you type, or " +
    "reads them from stdin as a JSON object. Reconnecting an account keeps its id and its queue.",
  positionals: [{ name: "platform", description: "A platform from crier platforms.", required: true }],
  flags: {
    handle: {
      type: "string",
      value: "HANDLE",
      description: "Account name on the network, where credentials or consent need it.",
    },
    via: {
      type: "string",
      value: "WAY",
      description: "Another way to connect, from crier platforms PLATFORM --json (connect_ways).",
    },
    "credentials-stdin": { type: "boolean", description: "Read the credentials from stdin, as a JSON object." },
    "expires-in": {
      type: "string",
      value: "SECONDS",
      description: "How long the address works: at most 2592000, 30 days (default 600).",
    },
    browser: {
      type: "boolean",
      description: "Consent in a browser on a network that also uses credentials.",
    },
    "no-open": { type: "boolean", description: "Print the address instead of opening a browser." },
    "no-wait": { type: "boolean", description: "Return without waiting for consent." },
    ...COMMON,
  },
  examples: [
    ["crier channels connect PLATFORM", "Open the browser, or ask for credentials."],
    [
      "crier channels connect PLATFORM --no-open --no-wait",
      "Print an address to send to the account's owner. It works for ten minutes, or until an account is connected.",
    ],
    [
      "crier channels connect PLATFORM --browser --handle you.example.com",
      "Sign in in the browser, without a password here.",
    ],
    ["crier channels connect PLATFORM --no-wait --expires-in 604800", "An address that works for a week."],
    ["crier channels connect PLATFORM --handle @you --credentials-stdin < credentials.json", "In a script."],
  ],
  async run(args, shell) {
    const client = await signedIn(args, shell);
    const [platform = ""] = args.positionals;
    const { body } = await client.call("platforms.list");
    // The service itself refuses platforms that are available only on request.
    const rule = body.request_only.includes(platform) ? undefined : getRule(platform, body);
    const { platform: platformName } = rule ?? { platform };
    const asJson = args.has("json");
    const asksHandle = rule?.consent?.handle === true && args.has("browser");
    if ((rule?.auth === "credentials" && !asksHandle) || args.has("credentials-stdin")) {
      const handle = args.get("handle") ?? (await (await import("../output/prompt.ts")).ask("Handle: ", shell));
      const credentials = args.has("credentials-stdin")
        ? await readCredentials(shell)
        : await askCredentials(rule, shell);
      const reply = await client.call("channels.connect", { body: { platform: platformName, handle, credentials } });
      if (asJson) writeJson(shell.out, reply.body);
      else
        shell.out.line(
          `${spoken(reply.body)} is ${reply.status === 201 ? "connected" : "reconnected"} (${reply.body.id}).`,
        );
      return 0;
    }
    const before = await allChannels(client);
    // Without a handle, the page asks the account's owner for it.
    const handle = asksHandle ? args.get("handle") : undefined;
    const via = args.get("via");
    const options = {
      ...(handle !== undefined && { handle }),
      ...(via !== undefined && { via }),
      ...readLife(args.get("expires-in")),
    };
    const link = (await client.call("channels.start-connect", { body: { platform: platformName, ...options } })).body;
    const waits = !args.has("no-wait");
    if (asJson && !waits) {
      writeJson(shell.out, link);
      return 0;
    }
    const { err, out } = shell;
    (waits ? err : out).line(oneLine(link.url));
    if (!args.has("no-open") && out.isTerminal && (await opens(link.url, shell.env)))
      err.line("Opened in your browser.");
    if (!waits) return 0;
    err.line(
      `Waiting for the account to be connected. The address works for ${spanText(Date.parse(link.expires_at) - client.now())}. Ctrl-C stops waiting.`,
    );
    const newChannels = await untilConnected(client, platformName, before, link, shell);
    if (asJson) writeJson(out, newChannels);
    else for (const channel of newChannels) out.line(`${spoken(channel)} is connected (${channel.id}).`);
    return 0;
  },
});

/** How long the address works, in the service's form. */
function readLife(seconds: string | undefined): { expires_in?: number } {
  if (seconds === undefined) return {};
  if (!/^\d{1,9}$/.test(seconds)) throw usage("--expires-in must be a number of seconds.");
  return { expires_in: Number(seconds) };
}

const LOOK_EVERY_MS = 2_000;

/** The channels of a platform that have been connected, or reconnected, since the command started. */
async function untilConnected(
  client: Client,
  platform: string,
  before: Channel[],
  link: Answer<"channels.start-connect">,
  { err, signal }: Shell,
): Promise<Channel[]> {
  const old = new Map(before.map((channel) => [channel.id, JSON.stringify(channel)]));
  const isNew = (channel: Channel) =>
    channel.platform === platform && channel.state === "connected" && old.get(channel.id) !== JSON.stringify(channel);
  const canRenew = before.some((channel) => channel.platform === platform && channel.state === "connected");
  for (let wasUsed = false; client.now() < Date.parse(link.expires_at); ) {
    const now = await patiently(
      () => allChannels(client),
      signal,
      (text) => warn(err, text),
    );
    const newChannels = now.filter(isNew);
    if (newChannels.length > 0) return newChannels;
    if (!wasUsed && (await isUsed(link.url, signal))) {
      wasUsed = true;
      err.line("The address was opened. Waiting for consent.");
      if (canRenew)
        err.line("If you are reconnecting an account, its channel may not visibly change. In that case, press Ctrl-C.");
    }
    await sleep(LOOK_EVERY_MS, signal);
  }
  throw new Failure(
    EXIT.unexpected,
    "The address has expired, and no channel has changed.",
    "a channel may look the same after reconnecting: crier channels",
  );
}

/** Whether a link, which works once, has been used. Checking it does not use it up. */
async function isUsed(url: string, signal: AbortSignal): Promise<boolean> {
  const response = await fetch(url, { redirect: "manual", signal }).catch(() => null);
  await response?.body?.cancel();
  return response?.status === 410;
}

/** Opens an address on the desktop; false if there is no desktop. */
async function opens(url: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  if (!/^https?:\/\//.test(url) || env.SSH_CONNECTION !== undefined) return false;
  if (process.platform === "linux" && !env.DISPLAY && !env.WAYLAND_DISPLAY) return false;
  const [program, ...before] =
    process.platform === "darwin"
      ? ["open"]
      : process.platform === "win32"
        ? ["rundll32", "url.dll,FileProtocolHandler"]
        : ["xdg-open"];
  const { spawn } = await import("node:child_process");
  const child = spawn(program ?? "", [...before, url], { stdio: "ignore", detached: true });
  child.on("error", () => {});
  child.unref();
  return true;
}

type Credentials = NonNullable<Body<"channels.connect">["credentials"]>;

async function readCredentials(shell: Shell): Promise<Credentials> {
  const text = (await (await import("../output/prompt.ts")).readStdin(shell)).toString("utf8");
  let credentials: unknown;
  try {
    credentials = JSON.parse(text);
  } catch {
    credentials = null;
  }
  if (typeof credentials !== "object" || credentials === null || Array.isArray(credentials)) {
    throw usage("The credentials on stdin are not a JSON object.");
  }
  return Object.fromEntries(Object.entries(credentials));
}

/** Asks for each field in the network's schema. Optional fields may be left empty. */
async function askCredentials(rule: Rule | undefined, shell: Shell): Promise<Credentials> {
  const schema = rule?.credentials;
  const credentials: Credentials = {};
  const { ask, askHidden } = await import("../output/prompt.ts");
  if (typeof schema !== "object" || schema === null || !("properties" in schema)) return credentials;
  const required = "required" in schema && Array.isArray(schema.required) ? schema.required : [];
  for (const name of Object.keys(schema.properties ?? {})) {
    const isNeeded = required.includes(name);
    const question = `${name.replaceAll("_", " ")}${isNeeded ? "" : " (optional)"}: `;
    const answer = /token|password|secret/.test(name) ? await askHidden(question, shell) : await ask(question, shell);
    if (answer !== "") credentials[name] = answer;
  }
  return credentials;
}
