// Connecting Pages by a person's consent.
import { describe, expect, it } from "vitest";
import { facebook } from "../../src/networks/facebook/index.ts";
import type { NetworkIO } from "../../src/networks/network.ts";
import { graphError } from "./facebook-page.ts";
import { fault, makeIO, unique } from "./network-io.ts";
import { simulators, withSimulators } from "./simulators.ts";

withSimulators();

const io = () => makeIO(simulators, "facebook");

describe("a person's consent at Facebook", () => {
  const app = { clientId: "sandbox-facebook", clientSecret: "sandbox", scopes: null };
  const redirectUri = "https://crier.test/v1/oauth/facebook/callback";
  const state = "a state & more";

  /** Decides in the dialog without a browser, and returns the redirect address. */
  async function decide(decision: Record<string, string>): Promise<URL> {
    const address = new URL(facebook.consent?.address(app, { redirectUri, state, challenge: "unused" }) ?? "");
    expect(address.origin).toBe("https://www.facebook.com");
    for (const [name, value] of Object.entries(decision)) address.searchParams.set(name, value);
    const dialog = `${simulators.url}/facebook${address.pathname}${address.search}`;
    const answer = await fetch(dialog, { redirect: "manual" });
    return new URL(answer.headers.get("location") ?? "");
  }
  async function getCode(decision: Record<string, string>): Promise<string> {
    const back = await decide({ decision: "allow", ...decision });
    expect(back.searchParams.get("state")).toBe(state);
    return back.searchParams.get("code") ?? "";
  }
  const exchange = (code: string, networkIO: NetworkIO = io(), asApp = app) =>
    facebook.consent?.exchange({ code, redirectUri, verifier: "unused" }, asApp, networkIO);

  it("lists every Page on which the person may create content, each ready to publish", async () => {
    const name = unique("bea");
    const granted = await exchange(await getCode({ account: name, pages: "102" }));
    if (granted?.is !== "granted") throw new Error(JSON.stringify(granted));
    expect(granted.accounts).toHaveLength(102);
    expect(granted.accounts.map(({ handle }) => handle).slice(0, 2)).toEqual([name, `${name}_2`]);
    const [first] = granted.accounts;
    expect(first).toMatchObject({
      tokenExpiresAt: null,
      credential: { user_token: expect.stringMatching(/^EAAlong/) },
    });
    const context = { credential: first?.credential ?? null, io: io() };
    const post = { text: "hello", media: [], postType: "feed" as const, options: {} };
    const prepared = await facebook.prepare(post, context, null, async () => {});
    if (prepared.is !== "prepared") throw new Error(JSON.stringify(prepared));
    expect(await facebook.publish(post, prepared.publishKey, context)).toMatchObject({ is: "live" });
  });

  it("leads back without a code if it is denied", async () => {
    const back = await decide({ decision: "deny" });
    expect(Object.fromEntries(back.searchParams)).toMatchObject({ error: "access_denied", state });
  });

  it.each([
    ["scopes left out", { without: "pages_manage_posts" }, "pages_manage_posts"],
    ["no Page", { pages: "0" }, "no Page"],
    ["no Page to publish on", { role: "analyst" }, "may not create content"],
  ])("is rejected with an explanation after %s", async (_, decision, words) => {
    const refused = await exchange(await getCode({ account: unique("bea"), ...decision }));
    expect(refused).toMatchObject({ is: "grant_refused", message: expect.stringContaining(words) });
  });

  it("is sufficient for publishing without insights", async () => {
    const granted = await exchange(
      await getCode({ account: unique("bea"), without: "read_insights,business_management" }),
    );
    expect(granted).toMatchObject({ is: "granted" });
  });

  it("gives a code that works once, for this app and this redirect address", async () => {
    const singleUseCode = await getCode({ account: unique("bea") });
    expect(await exchange(singleUseCode)).toMatchObject({ is: "granted" });
    expect(await exchange(singleUseCode)).toMatchObject({
      is: "grant_refused",
      networkMessage: expect.stringContaining("36009"),
    });
    expect(await exchange("forged")).toMatchObject({ is: "grant_refused" });
    expect(await exchange(await getCode({}), io(), { ...app, clientSecret: "wrong" })).toMatchObject({
      is: "grant_refused",
    });
  });

  it.each([
    ["access_token", { do: "status", status: 500 }],
    ["access_token", { do: "status", status: 500, skip: 1 }],
    ["access_token", { do: "status", status: 200, body: {}, skip: 1 }],
    ["permissions", { do: "reset_before" }],
    ["accounts", { do: "status", status: 400, body: graphError(4) }],
  ])("is retryable if %s gives no answer: %j", async (call, faultFields) => {
    const name = unique("bea");
    const newCode = await getCode({ account: name });
    await fault(simulators, { platform: "facebook", call, ...faultFields });
    expect(await exchange(newCode)).toMatchObject({ is: "retryable" });
  });
});
