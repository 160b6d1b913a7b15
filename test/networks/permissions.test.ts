// An app has some of a network's permissions: what publishing needs is enough, and what else is missing is said.
import { describe, expect, it } from "vitest";
import { networks } from "../../src/networks/index.ts";
import type { App, Network } from "../../src/networks/network.ts";
import { getPermissions, missingOptional, missingToPublish } from "../../src/networks/shared/permissions.ts";
import { makeIO, unique } from "./network-io.ts";
import { simulators, withSimulators } from "./simulators.ts";

withSimulators();

const ofConsent = networks.filter(({ consent }) => consent !== undefined);
const named = ofConsent.map((network) => [network.rule.platform, network] as const);
/** Apps that may ask for every scope of the rule, where the usual simulated app may not. */
const LARGEST: Record<string, string> = { linkedin: "cm_only" };
/** Which set of the rule that app has, where it is not the first. */
const SUFFICIENT_OF_LARGEST: Record<string, number> = { linkedin: 1 };
const SMALLEST: Record<string, string> = {
  pinterest: "smallest",
  instagram: "smallest",
  youtube: "smallest",
  facebook: "smallest",
  threads: "smallest",
  tiktok: "no_video_list",
};
/** Permissions that the account which is listed first has no use for. */
const OF_OTHER_ACCOUNTS: Record<string, string> = { linkedin: "w_organization_social_feed" };

function subsetsOf(names: readonly string[]): string[][] {
  return Array.from({ length: 2 ** names.length }, (_, bits) => names.filter((_, index) => (bits >> index) % 2 === 1));
}

/** Where the network sends a person who consents to all that the app asks for. */
async function consentTo({ rule: { platform }, consent }: Network, app: App) {
  const request = { redirectUri: "http://crier.test/callback", state: "s", challenge: CHALLENGE };
  const { pathname, search } = new URL(consent?.address(app, request) ?? "");
  const decided = `${search}&decision=allow&account=${unique("owner")}`;
  return fetch(`${simulators.url}/${platform}${pathname}${decided}`, { redirect: "manual" });
}
/** SHA-256 of "v" and of 42 more of it: verifiers have 43 characters at least. */
const VERIFIER = "v".repeat(43);
const CHALLENGE = Buffer.from(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(VERIFIER))).toString(
  "base64url",
);

async function connectBy(network: Network, app: App) {
  const back = new URL((await consentTo(network, app)).headers.get("location") ?? "");
  const code = back.searchParams.get("code") ?? expect.fail(back.href);
  const io = { ...makeIO(simulators, network.rule.platform), app };
  return network.consent?.exchange({ code, redirectUri: "http://crier.test/callback", verifier: VERIFIER }, app, io);
}
const appWith = (clientId: string, scopes: string[] | null): App => ({ clientId, clientSecret: "sandbox", scopes });

describe.each(named)("%s", (platform, network) => {
  const permissions = getPermissions(network.rule);
  const { sufficient, optional, asked } = permissions;
  const needed = sufficient[0] ?? [];

  it("asks for enough to publish by default, and an app of the smallest kind has all of it", async () => {
    expect(missingToPublish(permissions, asked)).toEqual([]);
    const granted = await connectBy(network, appWith(SMALLEST[platform] ?? `sandbox-${platform}`, null));
    if (granted?.is !== "granted") return expect.fail(JSON.stringify(granted));
    const missing = missingOptional(permissions, asked).filter((scope) => scope !== OF_OTHER_ACCOUNTS[platform]);
    expect(granted.accounts[0]?.missingPermissions).toEqual(missing);
  });

  it("asks for what the operator set, and for nothing else", async () => {
    const request = { redirectUri: "http://crier.test/callback", state: "s", challenge: CHALLENGE };
    const address = new URL(network.consent?.address(appWith("app", needed), request) ?? "");
    expect(address.searchParams.get("scope")?.split(/[\s,]+/)).toEqual(needed);
  });

  it("connects with each subset of the optional permissions, and says which of them are missing", async () => {
    const enough = sufficient[SUFFICIENT_OF_LARGEST[platform] ?? 0] ?? [];
    for (const subset of subsetsOf(Object.keys(optional))) {
      const app = appWith(LARGEST[platform] ?? `sandbox-${platform}`, [...enough, ...subset]);
      const granted = await connectBy(network, app);
      if (granted?.is !== "granted") return expect.fail(`${subset}: ${JSON.stringify(granted)}`);
      const missing = Object.keys(optional).filter(
        (scope) => ![...enough, ...subset, OF_OTHER_ACCOUNTS[platform]].includes(scope),
      );
      expect(granted.accounts[0]?.missingPermissions?.toSorted(), String(subset)).toEqual(missing.toSorted());
    }
  });

  it("refuses a consent that lacks what publishing needs, and names it", async () => {
    for (const scope of needed) {
      const granted = needed.filter((one) => one !== scope);
      expect(missingToPublish(permissions, granted), scope).toEqual([scope]);
    }
  });

  it("says of each optional permission what is lost without it", () => {
    for (const [scope, lost] of Object.entries(optional)) expect(lost, scope).toMatch(/^[A-Z].+\.$/);
  });
});

/**
 * A scope that the smallest app lacks, and what the network says to it. X keeps no list for each app: it refuses what is no scope.
 * Sources: xdevplatform/xurl issue 27; pinterest/api-quickstart issue 48; Joomline/slogin issue 112; Google's page of error 403
 * `restricted_client` as users quote it; postiz-app pull request 1199. All read 2026-11-24.
 */
const REFUSED_SCOPES: [platform: string, scope: string, words: RegExp][] = [
  ["x", "tweet.delete", /You weren’t able to give access to the App/],
  ["pinterest", "boards:read_secret", /Invalid scopes requested/],
  [
    "instagram",
    "instagram_business_manage_messages",
    /"error_message":"Invalid scope: \['instagram_business_manage_messages'\]"/,
  ],
  [
    "youtube",
    "https://www.googleapis.com/auth/youtube",
    /Error 403: restricted_client.*Unregistered scope\(s\) in the request: .*youtube/s,
  ],
  ["facebook", "read_insights", /Invalid Scopes: read_insights/],
  ["threads", "threads_delete", /invalid_scope: threads_delete/],
  ["tiktok", "video.list", /scope: video\.list/],
  ["linkedin", "r_basicprofile", /unauthorized_scope_error/],
];

it.each(REFUSED_SCOPES)(
  "%s refuses the scope %s, which the app does not have, in its own words",
  async (platform, scope, words) => {
    const network = networks.find(({ rule }) => rule.platform === platform) ?? expect.fail(platform);
    const { asked } = getPermissions(network.rule);
    const answer = await consentTo(network, appWith(SMALLEST[platform] ?? `sandbox-${platform}`, [...asked, scope]));
    expect(answer.headers.get("location") ?? (await answer.text())).toMatch(words);
  },
);

it("has a case for each network that asks for scopes", () => {
  expect(REFUSED_SCOPES.map(([platform]) => platform).toSorted()).toEqual(
    named.map(([platform]) => platform).toSorted(),
  );
});

it("without a consent no network has permissions, and with one each has", () => {
  for (const { rule, consent } of networks)
    expect(rule.permissions !== undefined, rule.platform).toBe(consent !== undefined);
});
