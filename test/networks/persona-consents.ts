// Personas whose consents differ, without Crier in between: how the consent ends, and what Google issues for it.
import { createHash } from "node:crypto";
import { expect, vi } from "vitest";
import { networks } from "../../src/networks/index.ts";
import { unique } from "./network-io.ts";
import { simulators } from "./simulators.ts";
import { connectNew, prepare, publish, video } from "./youtube-driver.ts";

export const REDIRECT = "https://crier.dev/callback";
export const VERIFIER = "v".repeat(43);
const DAY_MS = 86_400_000;

/** The account that consents, and the app that it consents to. */
export interface Parties {
  clientId?: string;
  account?: string;
}

/** The answer to a person who allows `scopes`. Null stands for the scopes that Crier requests. */
export function allow(platform: string, parties: Parties, scopes: string[] | null = null) {
  const { clientId = "ordinary", account = unique("owner") } = parties;
  const network = networks.find(({ rule }) => rule.platform === platform) ?? expect.fail(platform);
  const challenge = createHash("sha256").update(VERIFIER).digest("base64url");
  const request = { redirectUri: REDIRECT, state: "s", challenge };
  const app = { clientId, clientSecret: "sandbox", scopes };
  const { pathname, search } = new URL(network.consent?.address(app, request) ?? expect.fail("no consent"));
  const address = `${simulators.url}/${platform}${pathname}${search}&decision=allow&account=${account}`;
  return fetch(address, { redirect: "manual" });
}

/** The code with which a consent redirects back. Null if it redirects without a code, or not at all. */
export function readCode(answer: Response): string | null {
  const back = answer.headers.get("location");
  return back === null ? null : new URL(back).searchParams.get("code");
}

/** The status of a consent, and the message of the page on which it ends. Null if it redirects back. */
async function endConsent(platform: string, parties: Parties) {
  const answer = await allow(platform, parties);
  return [answer.status, answer.headers.has("location") ? null : Object(await answer.json()).error_message];
}

/** The answer to an app that exchanges a code. */
async function exchangeAt(platform: string, clientId: string) {
  const form = { grant_type: "authorization_code", code: "any", redirect_uri: REDIRECT };
  const body = new URLSearchParams({ ...form, client_id: clientId, client_secret: "sandbox" });
  const answer = await fetch(`${simulators.url}/${platform}/oauth/access_token`, { method: "POST", body });
  return [answer.status, Object(await answer.json()).error?.error_subcode];
}

async function askGoogle(clientId: string, fields: Record<string, string>) {
  const body = new URLSearchParams({ ...fields, client_id: clientId, client_secret: "sandbox" });
  const answer = await fetch(`${simulators.url}/youtube/token`, { method: "POST", body });
  return { status: answer.status, body: Object(await answer.json()) };
}
async function grantAtGoogle({ clientId = "ordinary", account = unique("owner") }: Parties) {
  const code = readCode(await allow("youtube", { clientId, account })) ?? expect.fail("no code");
  const form = { grant_type: "authorization_code", code, redirect_uri: REDIRECT, code_verifier: VERIFIER };
  const grant = await askGoogle(clientId, form);
  return { clientId, ...grant.body };
}

/** The answers to reading the channel and to starting an upload. */
async function callYouTube(parties: Parties) {
  const { access_token } = await grantAtGoogle(parties);
  const headers = { authorization: `Bearer ${access_token}` };
  const read = await fetch(`${simulators.url}/youtube/youtube/v3/channels?part=snippet&mine=true`, { headers });
  const upload = `${simulators.url}/youtube/upload/youtube/v3/videos?uploadType=resumable&part=snippet`;
  const started = await fetch(upload, { method: "POST", headers, body: "{}" });
  const reasons = [read, started].map(async (answer) => Object(await answer.json()).error?.errors[0].reason);
  return [read.status, started.status, ...(await Promise.all(reasons))];
}

/** The answers to a renewal just before and just after a grant is seven days old. */
async function renewAfterDays(parties: Parties) {
  vi.useFakeTimers({ toFake: ["Date"] });
  try {
    const { clientId, refresh_token } = await grantAtGoogle(parties);
    const grantedAt = Date.now();
    const renew = async (afterMs: number) => {
      vi.setSystemTime(grantedAt + afterMs);
      const { status, body } = await askGoogle(clientId, { grant_type: "refresh_token", refresh_token });
      return [status, body.error];
    };
    return [await renew(7 * DAY_MS - 60_000), await renew(7 * DAY_MS + 60_000)];
  } finally {
    vi.useRealTimers();
  }
}

/** The answer to the apps or accounts of a persona, and the answer to ordinary ones. */
export interface Check {
  ask(name: string): Promise<unknown>;
  persona: unknown;
  ordinary: unknown;
  /** The prefix of an ordinary name. */
  unlike?: string;
}
const API_OFF = {
  persona: [403, 403, "accessNotConfigured", "accessNotConfigured"],
  // 400, because the upload has no title.
  ordinary: [200, 400, undefined, "invalidTitle"],
};
const TESTING = {
  persona: [
    [200, undefined],
    [400, "invalid_grant"],
  ],
  ordinary: [
    [200, undefined],
    [200, undefined],
  ],
};
export const CONSENTING_ACCOUNTS: Record<string, Check> = {
  "instagram no_role": {
    ask: (account) => endConsent("instagram", { account }),
    persona: [400, "Insufficient developer role"],
    ordinary: [302, null],
  },
  "youtube api_off": { ask: (account) => callYouTube({ account }), ...API_OFF },
  "youtube capped": { ask: uploadTwice, persona: "retryable", ordinary: "prepared" },
  "youtube testing": { ask: (account) => renewAfterDays({ account }), ...TESTING },
};
/** The outcome of a second video on the same day. */
async function uploadTwice(name: string) {
  const channel = await connectNew(`${name}_`);
  await publish(video("first"), channel);
  return (await prepare(video("second"), channel.context)).answer.is;
}
const metaApp = (platform: string, words: string): Check => ({
  ask: async (clientId) => [...(await endConsent(platform, { clientId })), ...(await exchangeAt(platform, clientId))],
  persona: [400, words, 400, 4476002],
  ordinary: [302, null, 400, undefined],
});
export const CONSENTING_APPS: Record<string, Check> = {
  "instagram meta_app": metaApp("instagram", "Invalid platform app"),
  "threads meta_app": metaApp("threads", "Authorization Failed: No app ID was sent with the request."),
  "youtube api_off": { ask: (clientId) => callYouTube({ clientId }), ...API_OFF },
  "youtube testing": { ask: (clientId) => renewAfterDays({ clientId }), ...TESTING },
};
