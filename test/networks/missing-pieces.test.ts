// Apps and accounts that lack a requirement: Crier answers with the error code and the advice of access.ts.
import { describe, expect, it } from "vitest";
import { channelState } from "../../src/domain/channel.ts";
import { ACCESS as INSTAGRAM } from "../../src/networks/instagram/access.ts";
import { instagram } from "../../src/networks/instagram/index.ts";
import type { Network } from "../../src/networks/network.ts";
import { ACCESS as THREADS } from "../../src/networks/threads/access.ts";
import { threads } from "../../src/networks/threads/index.ts";
import { ACCESS as YOUTUBE } from "../../src/networks/youtube/access.ts";
import { youtube } from "../../src/networks/youtube/index.ts";
import { makeIO, unique } from "./network-io.ts";
import { allow, type Parties, REDIRECT, readCode, VERIFIER } from "./persona-consents.ts";
import { simulators, withSimulators } from "./simulators.ts";
import { connectChannel, connectWith, prepare, video } from "./youtube-driver.ts";

withSimulators();

const buildApp = (clientId: string) => ({ clientId, clientSecret: "sandbox", scopes: null });

/** The end of a consent, as Crier sees it, if the code is exchanged by the app `exchanger`. */
async function exchangeConsent(network: Network, parties: Parties, exchanger: string) {
  const code = readCode(await allow(network.rule.platform, parties)) ?? expect.fail("no code");
  const io = makeIO(simulators, network.rule.platform);
  return network.consent?.exchange({ code, redirectUri: REDIRECT, verifier: VERIFIER }, buildApp(exchanger), io);
}

/** The network's message that the documented symptom quotes. */
const readQuote = (sign: string) => /"([^"]+)"/.exec(sign)?.[1] ?? expect.fail(`no quote in ${sign}`);

describe.each([
  ["Instagram", instagram, INSTAGRAM.problems.app_id],
  ["Threads", threads, THREADS.problems.app_id],
])("an app of %s with the Meta app's id", (_, network, problem) => {
  it("gets no code, because the consent ends on a page with the documented words", async () => {
    const page = await allow(network.rule.platform, { clientId: unique("meta_app_") });
    expect(page.headers.get("location")).toBeNull();
    expect(await page.text()).toContain(readQuote(problem.sign));
  });

  it("is advised to use the product's own id when the exchange is rejected", async () => {
    expect(await exchangeConsent(network, {}, unique("meta_app_"))).toEqual({
      is: "grant_refused",
      message: expect.stringContaining("does not know the id of this app"),
      hint: problem.fix,
    });
  });
});

it("an account without a role in the Instagram app gets no code, and the consent ends with the documented words", async () => {
  const page = await allow("instagram", { account: unique("no_role_") });
  expect(page.headers.get("location")).toBeNull();
  expect(await page.text()).toContain(readQuote(INSTAGRAM.problems.tester.sign));
});

describe("a Google project without the YouTube Data API", () => {
  const { fix } = YOUTUBE.problems.api;
  const networkMessage = expect.stringContaining("accessNotConfigured");
  const advice = { hint: fix, networkMessage };

  it.each([
    ["app", () => ({ clientId: unique("api_off_") })],
    ["account", () => ({ account: unique("api_off_") })],
  ])("makes a consent with such an %s end with the advice to enable the API", async (_, makeParties) => {
    const parties: Parties = makeParties();
    expect(await exchangeConsent(youtube, parties, parties.clientId ?? "ordinary")).toEqual({
      is: "grant_refused",
      message: "YouTube rejects the calls of this app.",
      ...advice,
    });
  });

  it("makes connecting with tokens that were handed over end with the same advice", async () => {
    const name = unique("api_off_");
    const tokens = { access_token: `ya29.${name}`, refresh_token: `1//${name}` };
    expect(await connectWith(simulators, tokens)).toMatchObject({
      is: "credentials_refused",
      ...advice,
    });
  });

  it("makes a post fail as permission_missing with the same advice", async () => {
    const { context } = await connectChannel(simulators);
    const credential = { ...Object(context.credential), access_token: `ya29.${unique("api_off_")}` };
    expect((await prepare(video("x"), { ...context, credential })).answer).toEqual({
      is: "rejected",
      error: "permission_missing",
      detail: fix,
      networkMessage,
    });
  });
});

it("a consent to a Google app in testing needs a person again after seven days", async () => {
  const clientId = unique("testing_");
  const granted = await exchangeConsent(youtube, { clientId }, clientId);
  if (granted?.is !== "granted") throw new Error(JSON.stringify(granted));
  const tokenExpiresAt = granted.accounts[0]?.tokenExpiresAt ?? null;
  const stateAfter = (days: number) =>
    channelState({ hasCredential: true, tokenExpiresAt, lostReason: null }, Date.now() + days * 86_400_000);
  expect([stateAfter(6.9), stateAfter(7)]).toEqual(["connected", "needs_reconnect"]);
});
