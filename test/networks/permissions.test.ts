// An app may have only some of a network's permissions: those for publishing are sufficient, and the others are
// reported as missing.
import { describe, expect, it } from "vitest";
import { networks } from "../../src/networks/index.ts";
import type { App, Network } from "../../src/networks/network.ts";
import { getPermissions, missingOptional, missingToPublish } from "../../src/networks/shared/permissions.ts";
import { makeIO, unique } from "./network-io.ts";
import { simulators, withSimulators } from "./simulators.ts";

withSimulators();

const withConsent = networks.filter(({ consent }) => consent !== undefined);
const rows = withConsent.map((network) => [network.rule.platform, network] as const);
/** Apps that may request every scope of the rule, if the usual simulated app may not. */
const LARGEST: Record<string, string> = { linkedin: "cm_only" };
/** The set of sufficient scopes that this app has, if it is not the first set. */
const SUFFICIENT_OF_LARGEST: Record<string, number> = { linkedin: 1 };
const SMALLEST: Record<string, string> = {
  pinterest: "smallest",
  instagram: "smallest",
  youtube: "smallest",
  facebook: "smallest",
  threads: "smallest",
  tiktok: "no_video_list",
};
/** Permissions that the account listed first does not need. */
const OF_OTHER_ACCOUNTS: Record<string, string> = { linkedin: "w_organization_social_feed" };

function listSubsets(names: readonly string[]): string[][] {
  return Array.from({ length: 2 ** names.length }, (_, bits) => names.filter((_, index) => (bits >> index) % 2 === 1));
}

/** The network's answer to a person who consents to every requested scope. */
async function allowAll({ rule: { platform }, consent }: Network, app: App) {
  const request = { redirectUri: "http://crier.test/callback", state: "s", challenge: CHALLENGE };
  const { pathname, search } = new URL(consent?.address(app, request) ?? "");
  const decided = `${search}&decision=allow&account=${unique("owner")}`;
  return fetch(`${simulators.url}/${platform}${pathname}${decided}`, { redirect: "manual" });
}
/** A verifier has at least 43 characters. The challenge is its SHA-256. */
const VERIFIER = "v".repeat(43);
const CHALLENGE = Buffer.from(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(VERIFIER))).toString(
  "base64url",
);

async function connectWithApp(network: Network, app: App) {
  const back = new URL((await allowAll(network, app)).headers.get("location") ?? "");
  const code = back.searchParams.get("code") ?? expect.fail(back.href);
  const io = { ...makeIO(simulators, network.rule.platform), app };
  return network.consent?.exchange({ code, redirectUri: "http://crier.test/callback", verifier: VERIFIER }, app, io);
}
const buildApp = (clientId: string, scopes: string[] | null): App => ({ clientId, clientSecret: "sandbox", scopes });

describe.each(rows)("the permissions of %s", (platform, network) => {
  const permissions = getPermissions(network.rule);
  const { sufficient, optional, asked: askedScopes } = permissions;
  const neededScopes = sufficient[0] ?? [];

  it("are sufficient for publishing by default, and an app of the smallest kind has all of them", async () => {
    expect(missingToPublish(permissions, askedScopes)).toEqual([]);
    const granted = await connectWithApp(network, buildApp(SMALLEST[platform] ?? `sandbox-${platform}`, null));
    if (granted?.is !== "granted") return expect.fail(JSON.stringify(granted));
    const missing = missingOptional(permissions, askedScopes).filter((scope) => scope !== OF_OTHER_ACCOUNTS[platform]);
    expect(granted.accounts[0]?.missingPermissions).toEqual(missing);
  });

  it("are requested exactly as the operator has set them", async () => {
    const request = { redirectUri: "http://crier.test/callback", state: "s", challenge: CHALLENGE };
    const address = new URL(network.consent?.address(buildApp("app", neededScopes), request) ?? "");
    expect(address.searchParams.get("scope")?.split(/[\s,]+/)).toEqual(neededScopes);
  });

  it("allow connecting with each subset of the optional ones, and the missing ones are reported", async () => {
    const sufficientScopes = sufficient[SUFFICIENT_OF_LARGEST[platform] ?? 0] ?? [];
    for (const subset of listSubsets(Object.keys(optional))) {
      const app = buildApp(LARGEST[platform] ?? `sandbox-${platform}`, [...sufficientScopes, ...subset]);
      const granted = await connectWithApp(network, app);
      if (granted?.is !== "granted") return expect.fail(`${subset}: ${JSON.stringify(granted)}`);
      const missing = Object.keys(optional).filter(
        (scope) => ![...sufficientScopes, ...subset, OF_OTHER_ACCOUNTS[platform]].includes(scope),
      );
      expect(granted.accounts[0]?.missingPermissions?.toSorted(), String(subset)).toEqual(missing.toSorted());
    }
  });

  it("are reported by name if one that publishing needs is missing", async () => {
    for (const scope of neededScopes) {
      const granted = neededScopes.filter((otherScope) => otherScope !== scope);
      expect(missingToPublish(permissions, granted), scope).toEqual([scope]);
    }
  });

  it("are documented with the consequence of each optional one that is missing", () => {
    for (const [scope, lost] of Object.entries(optional)) expect(lost, scope).toMatch(/^[A-Z].+\.$/);
  });
});

/**
 * A scope that the smallest app lacks, and the network's words about it. X keeps no list per app, and rejects only
 * unknown scopes. Sources: xdevplatform/xurl issue 27; pinterest/api-quickstart issue 48; Joomline/slogin issue 112;
 * Google's page of error 403 `restricted_client` as users quote it; postiz-app pull request 1199. All read 2026-11-24.
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
  "%s rejects the scope %s, which the app lacks, in its own words",
  async (platform, scope, words) => {
    const network = networks.find(({ rule }) => rule.platform === platform) ?? expect.fail(platform);
    const { asked: askedScopes } = getPermissions(network.rule);
    const answer = await allowAll(
      network,
      buildApp(SMALLEST[platform] ?? `sandbox-${platform}`, [...askedScopes, scope]),
    );
    expect(answer.headers.get("location") ?? (await answer.text())).toMatch(words);
  },
);

it("has a case for each network that requests scopes", () => {
  expect(REFUSED_SCOPES.map(([platform]) => platform).toSorted()).toEqual(
    rows.map(([platform]) => platform).toSorted(),
  );
});

it("gives permissions to exactly the networks with a consent", () => {
  for (const { rule, consent } of networks)
    expect(rule.permissions !== undefined, rule.platform).toBe(consent !== undefined);
});
