// Networks that answer a consent with everything but what they should.
import { describe, expect, it } from "vitest";
import type { Live } from "../../src/domain/delivery/outcome.ts";
import { base64Url } from "../../src/domain/encoding.ts";
import { addressOf } from "../../src/networks/facebook/reconcile.ts";
import { networks } from "../../src/networks/index.ts";
import type { Network, NetworkIO } from "../../src/networks/network.ts";
import { toShownFinding, toShownPost } from "../../src/networks/shared/foreign-account.ts";
import { makeIO, unique } from "./network-io.ts";
import { simulators, withSimulators } from "./simulators.ts";

withSimulators();

const VERIFIER = "v".repeat(43);
const CHALLENGE = base64Url(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(VERIFIER))));

/** What becomes of one value of an answer. */
type Change = (value: unknown, name: string) => unknown;

/** A text that people read or that leads somewhere, not one that the protocol compares. */
const isFree = (name: string) => !/token|type|scope|status|permission|urn|role|state/.test(name);
const text =
  (change: (value: string) => string): Change =>
  (value, name) =>
    typeof value === "string" && isFree(name) ? change(value) : value;

const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;
const CHANGES: [string, Change][] = [
  ["hidden characters in every text", text((value) => `${value}\u0000\u202e\r\n\u200b`)],
  ["half a character at the end of every text", text((value) => `${value}\ud800`)],
  ["texts of ninety thousand characters", text((value) => value + "L".repeat(90_000))],
  ["empty texts", text(() => "")],
  [
    "addresses that run a script",
    (value, name) => (/url|picture|avatar|image/.test(name) ? "javascript:alert(1)" : value),
  ],
  ["ids that lead elsewhere", (value, name) => (/id$/i.test(name) ? "../../x?y#z" : value)],
  ["numbers beyond any date", (value) => (typeof value === "number" ? 1e300 : value)],
  ["numbers before any date", (value) => (typeof value === "number" ? -1e15 : value)],
  ["numbers where texts belong", (value) => (typeof value === "string" ? 1e308 : value)],
  ["nothing but null", () => null],
];

/** Changes each value of an answer that has no values of its own. */
const changeAll = (body: string, change: Change): string => {
  const changed = (value: unknown, name: string): unknown => {
    if (Array.isArray(value)) return value.map((member) => changed(member, name));
    if (typeof value !== "object" || value === null) return change(value, name);
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, changed(member, key)]));
  };
  return JSON.stringify(changed(JSON.parse(body), ""));
};

/** The network, whose answer number `position` is changed. */
function hostileIO(platform: string, position: number, change: (response: Response) => Promise<Response>) {
  let count = 0;
  const call: NetworkIO["fetch"] = async (url, init) => {
    const { pathname, search } = new URL(url);
    const response = await fetch(`${simulators.url}/${platform}${pathname}${search}`, init);
    return ++count === position ? change(response) : response;
  };
  return { io: { ...makeIO(simulators, platform), fetch: call }, count: () => count };
}

async function consent({ consent: asked, rule: { platform } }: Network): Promise<string> {
  const request = { redirectUri: "https://crier.test/back", state: "s", challenge: CHALLENGE };
  const app = { clientId: `sandbox-${platform}`, clientSecret: "sandbox", scopes: null };
  const address = new URL(asked?.address(app, request) ?? "");
  address.searchParams.set("decision", "allow");
  address.searchParams.set("account", unique("bea"));
  const answer = await fetch(`${simulators.url}/${platform}${address.pathname}${address.search}`, {
    redirect: "manual",
  });
  return new URL(answer.headers.get("location") ?? "").searchParams.get("code") ?? "";
}

const withConsent = Object.values(networks).filter((network) => network.consent !== undefined);

describe.each(withConsent.map((network): [string, Network] => [network.rule.platform, network]))(
  "%s",
  (platform, network) => {
    const exchange = async (io: NetworkIO) => {
      const app = { clientId: `sandbox-${platform}`, clientSecret: "sandbox", scopes: null };
      const reply = { code: await consent(network), redirectUri: "https://crier.test/back", verifier: VERIFIER };
      return network.consent?.exchange(reply, app, io) ?? expect.fail("no consent");
    };

    it.each(CHANGES)("gives accounts that can be stored and shown, or none, for %s", async (_name, change) => {
      const honest = hostileIO(platform, 0, async (response) => response);
      expect(await exchange(honest.io)).toMatchObject({ is: "granted" });
      for (let position = 1; position <= honest.count(); position++) {
        const { io } = hostileIO(platform, position, async (response) => {
          const body = changeAll(await response.text(), change);
          return new Response(body, { status: response.status, headers: { "content-type": "application/json" } });
        });
        const answer = await exchange(io);
        if (answer.is !== "granted") {
          if (answer.is === "grant_refused") expect(`${answer.message}${answer.hint}`).not.toMatch(HIDDEN);
          continue;
        }
        for (const account of answer.accounts) {
          const { handle, name, avatarUrl, profileUrl, tokenExpiresAt, accountId } = account;
          expect(`${handle}${name}${accountId}`).not.toMatch(HIDDEN);
          expect(`${handle}${name}${accountId}`.isWellFormed()).toBe(true);
          expect(handle).not.toBe("");
          expect(Math.max(handle.length, accountId.length, name?.length ?? 0)).toBeLessThanOrEqual(500);
          for (const address of [avatarUrl, profileUrl]) expect(address ?? "https://x").toMatch(/^https?:\/\//);
          const dates = [tokenExpiresAt, network.refreshAt?.(account.credential), network.endsAt?.(account.credential)];
          for (const date of dates) expect(() => new Date(date ?? 0).toISOString()).not.toThrow();
        }
      }
    });
  },
);

it("a live post keeps no address that a browser may not follow", () => {
  const live: Live = { is: "live", id: "1", url: "javascript:alert(1)", urlState: "none" };
  expect(toShownPost(live)).toEqual({ is: "live", id: "1", url: null, urlState: "not_reported" });
  expect(toShownFinding({ is: "there", url: "data:text/html,x" })).toEqual({ is: "there", url: null });
  const honest: Live = { ...live, url: "https://example.com/1" };
  expect(toShownPost(honest)).toEqual(honest);
});

it("an address that the network garbles does not make a live post fail", () => {
  expect(addressOf("1", "https://[")).toBe("https://www.facebook.com/1");
});
