// Invalid values for platforms and channels, field by field, and the longest valid value of each field.
import { describe, expect, it } from "vitest";
import { testEnv } from "../support/env.ts";
import { call } from "../support/world.ts";
import { account, refusal, send, withAccounts } from "./bad-media.ts";

withAccounts();

describe("POST /v1/channels", () => {
  const token = `123456789:${"A".repeat(35)}`;
  const telegram = { platform: "telegram", handle: "@okchat" };
  it.each<[string, object, string, string]>([
    ["no fields", {}, "missing_field", "/platform"],
    ["no handle", { platform: "telegram" }, "missing_field", "/handle"],
    ["null as the platform", { ...telegram, platform: null }, "invalid_field", "/platform"],
    ["a platform in another letter case", { ...telegram, platform: "Telegram" }, "unknown_platform", "/platform"],
    ["white space before the platform", { ...telegram, platform: " telegram" }, "unknown_platform", "/platform"],
    [
      "a JavaScript property as the platform",
      { ...telegram, platform: "constructor" },
      "unknown_platform",
      "/platform",
    ],
    ["an empty handle", { ...telegram, handle: "" }, "invalid_field", "/handle"],
    ["a blank handle", { ...telegram, handle: " \u3000" }, "invalid_field", "/handle"],
    ["a handle of two lines", { ...telegram, handle: "@a\n@b" }, "invalid_field", "/handle"],
    ["a handle of 501 characters", { ...telegram, handle: "a".repeat(501) }, "invalid_field", "/handle"],
    ["a NUL in the handle", { ...telegram, handle: "@a\0" }, "invalid_field", "/handle"],
    ["null credentials", { ...telegram, credentials: null }, "invalid_field", "/credentials"],
    ["a string as credentials", { ...telegram, credentials: token }, "invalid_field", "/credentials"],
    ["an array of credentials", { ...telegram, credentials: [token] }, "invalid_field", "/credentials"],
    ["empty credentials", { ...telegram, credentials: {} }, "credentials_invalid", "/credentials/bot_token"],
    [
      "a token without a chat",
      { ...telegram, credentials: { bot_token: token } },
      "credentials_invalid",
      "/credentials/chat_id",
    ],
    [
      "a number as the token",
      { ...telegram, credentials: { bot_token: 1, chat_id: "@okchat" } },
      "credentials_invalid",
      "/credentials/bot_token",
    ],
    [
      "an unknown credential",
      { ...telegram, credentials: { bot_token: token, chat_id: "@okchat", admin: true } },
      "credentials_invalid",
      "/credentials/admin",
    ],
    [
      "a JavaScript property as a credential",
      { ...telegram, credentials: { bot_token: token, chat_id: "@okchat", constructor: {} } },
      "credentials_invalid",
      "/credentials/constructor",
    ],
    [
      "a token of 64 kB",
      { ...telegram, credentials: { bot_token: `1:${"A".repeat(65_536)}`, chat_id: "@okchat" } },
      "credentials_invalid",
      "/credentials/bot_token",
    ],
    [
      "a chat of 64 kB",
      { ...telegram, credentials: { bot_token: token, chat_id: "@".padEnd(65_536, "c") } },
      "credentials_invalid",
      "/credentials/chat_id",
    ],
    [
      "a NUL in a credential",
      { ...telegram, credentials: { bot_token: `${token}\0`, chat_id: "@okchat" } },
      "invalid_field",
      "/credentials/bot_token",
    ],
    [
      "a path in the token",
      { ...telegram, credentials: { bot_token: "1:A/../../getMe?x=", chat_id: "@okchat" } },
      "credentials_invalid",
      "/credentials/bot_token",
    ],
    ["an expiry that is not a time", { ...telegram, token_expires_at: "soon" }, "invalid_field", "/token_expires_at"],
    ["null as the expiry", { ...telegram, token_expires_at: null }, "invalid_field", "/token_expires_at"],
    ["a number as the expiry", { ...telegram, token_expires_at: 1 }, "invalid_field", "/token_expires_at"],
    [
      "an expiry on a day that does not exist",
      { ...telegram, token_expires_at: "2027-02-30T00:00:00Z" },
      "invalid_field",
      "/token_expires_at",
    ],
    ["an unknown field", { ...telegram, token: "x" }, "unknown_field", "/token"],
  ])("a channel with %s is rejected", async (_name, body, error, field) => {
    expect(await send("POST", "/v1/channels", body)).toMatchObject(refusal(error, field));
  });

  it("credentials with a prototype are rejected before the network is called", async () => {
    const body = `{"platform":"telegram","handle":"@x","credentials":{"__proto__":{"bot_token":"${token}","chat_id":"@okchat"}}}`;
    expect(await send("POST", "/v1/channels", body)).toMatchObject(refusal("unknown_field", "/credentials/__proto__"));
  });

  it("the rejected calls have stored no channel", async () => {
    const { results } = await testEnv.DB.prepare("SELECT id FROM channels WHERE workspace_id = ?")
      .bind(account.workspace)
      .all();
    expect(results).toEqual([]);
  });

  it("a handle may have 500 characters of any script", async () => {
    const handle = "あ".repeat(500);
    expect(await send("POST", "/v1/channels", { platform: "telegram", handle })).toMatchObject({
      status: 201,
      body: { handle, connected: false },
    });
  });
});

describe("POST /v1/connector-requests", () => {
  it.each<[object, string]>([
    [{}, "missing_field"],
    [{ platform: null }, "invalid_field"],
    [{ platform: ["reddit"] }, "invalid_field"],
    [{ platform: "" }, "unknown_platform"],
    [{ platform: "Reddit" }, "unknown_platform"],
    [{ platform: "telegram" }, "unknown_platform"],
    [{ platform: "constructor" }, "unknown_platform"],
    [{ platform: "r".repeat(51) }, "invalid_field"],
  ])("rejects the connector request %j with %s", async (body, error) => {
    expect(await send("POST", "/v1/connector-requests", body)).toMatchObject(refusal(error, "/platform"));
  });
});

describe("GET /v1/platforms", () => {
  it("the list of platforms needs no credential, and ignores credentials and parameters", async () => {
    const plain = await call("GET", "/v1/platforms");
    for (const [path, options] of [
      ["/v1/platforms?limit=x&cursor=y&platform=telegram", {}],
      ["/v1/platforms", { token: "nobody" }],
      ["/v1/platforms", { headers: { authorization: "Basic eDp5", "x-workspace": "ws_x" } }],
    ] as const) {
      const answer = await call("GET", path, options);
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual(plain.body);
    }
  });
});
