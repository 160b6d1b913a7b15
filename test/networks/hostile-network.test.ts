// Networks that answer a consent with hostile answers.
import { describe, expect, it } from "vitest";
import type { Live } from "../../src/domain/delivery/outcome.ts";
import { base64Url } from "../../src/domain/encoding.ts";
import { resolvePostUrl } from "../../src/networks/facebook/reconcile.ts";
import { networks } from "../../src/networks/index.ts";
import type { Network, NetworkIO } from "../../src/networks/network.ts";
import { toShownFinding, toShownPost } from "../../src/networks/shared/foreign-account.ts";
import { isExtensive } from "../support/runs.ts";
import { CHANGES, HIDDEN, HOSTILE_ANSWERS, hostileIO } from "./hostile-answers.ts";
import { unique } from "./network-io.ts";
import { simulators, withSimulators } from "./simulators.ts";

withSimulators();

const VERIFIER = "v".repeat(43);
const CHALLENGE = base64Url(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(VERIFIER))));

async function consent({ consent: networkConsent, rule: { platform } }: Network): Promise<string> {
  const request = { redirectUri: "https://crier.test/back", state: "s", challenge: CHALLENGE };
  const app = { clientId: `sandbox-${platform}`, clientSecret: "sandbox", scopes: null };
  const address = new URL(networkConsent?.address(app, request) ?? "");
  address.searchParams.set("decision", "allow");
  address.searchParams.set("account", unique("bea"));
  const answer = await fetch(`${simulators.url}/${platform}${address.pathname}${address.search}`, {
    redirect: "manual",
  });
  return new URL(answer.headers.get("location") ?? "").searchParams.get("code") ?? "";
}

const withConsent = Object.values(networks).filter((network) => network.consent !== undefined);

describe.each(withConsent.map((network, index): [string, Network, number] => [network.rule.platform, network, index]))(
  "a hostile answer to a consent at %s",
  (platform, network, index) => {
    const exchange = async (io: NetworkIO) => {
      const app = { clientId: `sandbox-${platform}`, clientSecret: "sandbox", scopes: null };
      const reply = { code: await consent(network), redirectUri: "https://crier.test/back", verifier: VERIFIER };
      return network.consent?.exchange(reply, app, io) ?? expect.fail("no consent");
    };

    const answers = HOSTILE_ANSWERS.filter(
      (_, i) => isExtensive || i < CHANGES.length || (i + index) % withConsent.length === 0,
    );
    it.each(answers)("leads to accounts that can be stored and shown, or to none, for $name", async (hostileAnswer) => {
      const honestNetwork = hostileIO(platform, () => undefined);
      expect(await exchange(honestNetwork.io)).toMatchObject({ is: "granted" });
      for (let position = 1; position <= honestNetwork.count(); position++) {
        const { io } = hostileIO(platform, (called, ask) =>
          called === position ? hostileAnswer.answer(ask) : undefined,
        );
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
          for (const [key, value] of Object.entries(Object(account.credential)))
            if (/token/.test(key) && value !== null) expect(value, key).toMatch(/^[\x21-\x7e]{1,8000}$/);
        }
      }
    });
  },
);

it("removes a URL from a live post that a browser may not follow", () => {
  const live: Live = { is: "live", id: "1", url: "javascript:alert(1)", urlState: "none" };
  expect(toShownPost(live)).toEqual({ is: "live", id: "1", url: null, urlState: "not_reported" });
  expect(toShownFinding({ is: "there", url: "data:text/html,x" })).toEqual({ is: "there", url: null });
  const harmless: Live = { ...live, url: "https://example.com/1" };
  expect(toShownPost(harmless)).toEqual(harmless);
});

it("keeps a live post live if the network garbles its URL", () => {
  expect(resolvePostUrl("1", "https://[")).toBe("https://www.facebook.com/1");
});
