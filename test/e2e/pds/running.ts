// Bluesky's own server as a process, its directory, and a `NetworkIO` that maps the connector's addresses to them.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import * as z from "zod";
import type { Simulators } from "../../../simulators/server.ts";
import type { NetworkIO } from "../../../src/networks/network.ts";
import { record } from "../../networks/descriptions/recorder.ts";
import { joinPieces } from "../../support/joined.ts";

const FOLDER = `${import.meta.dirname}/server`;
/** Whether `npm run pds:install` was run. */
export const isInstalled = existsSync(`${FOLDER}/node_modules/@atproto/pds`);

const Addresses = z.object({ pds: z.url(), directory: z.url() });
export interface Running extends z.output<typeof Addresses> {
  process: ChildProcess;
}

/** `client`: an OAuth client, with the address at which its description can be read. */
export async function startServer(client: { id: string; document: string } | null = null): Promise<Running> {
  const env =
    client === null ? process.env : { ...process.env, CLIENT_ID: client.id, CLIENT_DOCUMENT: client.document };
  const process_ = spawn(process.execPath, ["start.js"], { cwd: FOLDER, stdio: ["ignore", "pipe", "inherit"], env });
  for await (const line of createInterface({ input: process_.stdout })) {
    return { ...Addresses.parse(JSON.parse(line)), process: process_ };
  }
  throw new Error("the server ended before it listened");
}

export async function stopServer({ process: running }: Running): Promise<void> {
  running.kill();
  if (running.exitCode === null && running.signalCode === null) await once(running, "exit");
}

/** Calls the server directly, as a person's app does. */
export async function ask<Schema extends z.ZodType>(
  { pds }: Running,
  call: string,
  answers: Schema,
  { body, token }: { body?: object; token?: string } = {},
): Promise<z.output<Schema>> {
  const answer = await fetch(`${pds}/xrpc/${call}`, {
    method: body === undefined ? "GET" : "POST",
    headers: {
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${call}: ${answer.status} ${await answer.text()}`);
  const text = await answer.text();
  return answers.parse(text === "" ? undefined : JSON.parse(text));
}

/** `lose`: calls whose answer is lost after the server has carried them out. */
export function makeIO(
  running: Running,
  simulators: Simulators,
  lose: (url: string) => boolean = () => false,
): NetworkIO {
  const go = async (url: string, init: RequestInit = {}, host: string | null = null) => {
    const { pathname, search } = new URL(url);
    const call = (request: RequestInit) => {
      const duplex = request.body instanceof ReadableStream ? { duplex: "half" } : {};
      return fetch(url, { ...request, ...duplex, redirect: "manual" });
    };
    if (!url.startsWith(running.pds) && !url.startsWith(running.directory)) return call(init);
    const answer = await record({ platform: "bluesky", host, pathname, search }, init, call);
    if (lose(url)) throw new TypeError("the answer was lost");
    return answer;
  };
  const hosts: Record<string, string> = {
    "bsky.social": running.pds,
    "public.api.bsky.app": running.pds,
    "plc.directory": running.directory,
    "video.bsky.app": `${simulators.url}/bluesky`,
  };
  return {
    app: { clientId: "", clientSecret: "", scopes: null },
    fetch(url, init) {
      const { host, pathname, search } = new URL(url);
      return go(`${hosts[host] ?? `https://${host}`}${pathname}${search}`, init, host);
    },
    fetchPublic: (url, init) => go(url, init),
    now: Date.now,
    wait: (ms) => wait(ms),
    random: (length) => crypto.getRandomValues(new Uint8Array(length)),
    sized: joinPieces,
    chunksDivisor: 1,
  };
}
