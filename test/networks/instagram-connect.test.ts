// Connecting an Instagram account.
import { describe, expect, it } from "vitest";
import type { Json } from "../../src/domain/json.ts";
import { instagram } from "../../src/networks/instagram/index.ts";
import { makeIOWithClock } from "./containers.ts";
import { unique } from "./network-io.ts";
import { simulators, withSimulators } from "./simulators.ts";

withSimulators();

describe("connecting an Instagram account", () => {
  const connect = (input: object) => instagram.connect(input as Json, makeIOWithClock(simulators, "instagram").io);

  it("rejects a personal account, and a dead token of Facebook Login", async () => {
    expect(await connect({ access_token: `access-for-${unique("p")}_personal` })).toMatchObject({
      is: "credentials_refused",
      field: "/access_token",
      message: expect.stringContaining("personal account"),
    });
    expect(await connect({ access_token: "EAAB1234" })).toMatchObject({
      is: "credentials_refused",
      hint: expect.stringContaining("Facebook Login"),
    });
  });

  it.each([
    ["a string", '{"user_id":"17841400000000003","username":"@"}'],
    ["a number too large for JSON", '{"user_id":17841400000000003,"username":"@"}'],
    ["in a list of one", '{"data":[{"user_id":"17841400000000003","username":"@"}]}'],
    ["a number in a list", '{"data":[{"user_id":17841400000000003,"username":"@"}]}'],
  ])("reads the account's id from %s", async (_, body) => {
    const { io } = makeIOWithClock(simulators, "instagram");
    const handle = unique("me_");
    const me: typeof io.fetch = (to, init) => {
      if (to.includes("/me?")) return Promise.resolve(new Response(body.replace("@", handle)));
      // This id does not exist, so the probe is answered here.
      return to.includes("content_publishing_limit")
        ? Promise.resolve(new Response('{"data":[]}'))
        : io.fetch(to, init);
    };
    const connected = await instagram.connect({ access_token: `access-for-${handle}` }, { ...io, fetch: me });
    expect(connected).toMatchObject({ is: "connected", accountId: "17841400000000003", handle });
  });

  it("accepts the short-lived token as documented and as observed: without a list, with a number as the id", async () => {
    const redirectUri = "https://crier.example/back";
    const app = { clientId: "sandbox-instagram", clientSecret: "sandbox", scopes: null };
    const { io } = makeIOWithClock(simulators, "instagram");
    const consentUrl = new URL(instagram.consent?.address(app, { redirectUri, state: "s", challenge: "" }) ?? "");
    expect(`${consentUrl.origin}${consentUrl.pathname}`).toBe("https://www.instagram.com/oauth/authorize");
    const handle = unique("bare_");
    const url = `${simulators.url}/instagram${consentUrl.pathname}${consentUrl.search}&decision=allow&account=${handle}`;
    const back = new URL((await fetch(url, { redirect: "manual" })).headers.get("location") ?? "nowhere:");
    const reply = { code: back.searchParams.get("code") ?? "", redirectUri, verifier: "" };
    const bare: typeof io.fetch = async (to, init) => {
      const answer = await io.fetch(to, init);
      if (!to.includes("oauth/access_token")) return answer;
      const { data } = (await answer.json()) as { data: { access_token: string; permissions: string }[] };
      const [{ access_token, permissions } = { access_token: "", permissions: "" }] = data;
      return new Response(
        `{"access_token":"${access_token}","user_id":17841400000000001,"permissions":"${permissions}"}`,
      );
    };
    const granted = await instagram.consent?.exchange(reply, app, { ...io, fetch: bare });
    expect(granted).toMatchObject({ is: "granted", accounts: [{ handle }] });
    expect(granted).not.toMatchObject({ accounts: [{ accountId: "17841400000000001" }] });
  });
});
