// The start of most commands: the settings, a client, and the output format.
import { type Client, type ClientOptions, makeClient } from "./api/client.ts";
import { type Config, readConfig, requireKey, requireUrl } from "./api/config.ts";
import type { Arguments, Flags, Shell } from "./command.ts";
import { spanText } from "./output/format.ts";
import { jsonText, type Output, oneLine } from "./output/terminal.ts";

export const URL_FLAG = {
  url: {
    type: "string",
    value: "ADDRESS",
    description: "Address of the service. Overrides CRIER_URL and the stored address.",
  },
} as const satisfies Flags;
/** The flags of commands that call the service. */
export const COMMON = {
  json: { type: "boolean", description: "Print the API's response as JSON on stdout, including errors." },
  ...URL_FLAG,
} as const satisfies Flags;

/** Reads the settings and prints their warnings. */
export async function settings(args: Arguments, shell: Shell): Promise<Config> {
  const config = await readConfig(args.get("url"), shell.env);
  for (const warning of config.warnings) warn(shell.err, warning);
  return config;
}

/** A client with the key. Throws if there is no key. */
export async function signedIn(args: Arguments, shell: Shell): Promise<Client> {
  const config = await settings(args, shell);
  const key = requireKey(config);
  const url = requireUrl(config);
  return openClient(shell, { url, key });
}

/** A client for calls that need no key. */
export async function anybody(args: Arguments, shell: Shell): Promise<Client> {
  return openClient(shell, { url: requireUrl(await settings(args, shell)), key: null });
}

export function openClient(shell: Shell, to: Pick<ClientOptions, "url" | "key" | "workspace">): Client {
  const onRetry = (reason: string, waitMs: number) => {
    if (shell.err.isTerminal)
      shell.err.line(shell.err.paint("dim", `${oneLine(reason)} Retrying in ${spanText(waitMs)}.`));
  };
  if (to.key !== null && to.url.startsWith("http:") && !isLoopback(to.url)) {
    warn(shell.err, `The key is sent to ${to.url} without encryption: use https.`);
  }
  return makeClient({ ...to, signal: shell.signal, onRetry });
}

/** Whether an address leads to this machine. */
export function isLoopback(url: string): boolean {
  return /\/\/(localhost|127\.[\d.]+|\[::1\])(:\d+)?(\/|$)/.test(url);
}

export function warn(err: Output, text: string): void {
  err.line(`${err.paint("yellow", "warning:")} ${oneLine(text)}`);
}

/** Prints one JSON document, indented on a terminal. */
export function writeJson(out: Output, body: unknown): void {
  out.line(jsonText(body, 2));
}
