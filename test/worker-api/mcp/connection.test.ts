// One connection for each workspace key: its callers and its messages.
import { describe, expect, it } from "vitest";
import { BODY_BYTES_MAX } from "../../../src/domain/limits.ts";
import { RATE_LIMITS } from "../../../src/domain/rate-limit.ts";
import { SCOPES } from "../../../src/domain/roles.ts";
import { connect, signUp } from "../../support/world.ts";
import { beginSession, INITIALIZE, readMessages, send } from "./clients.ts";
import { LIST_TOOLS, PING, rotateKey, USAGE } from "./sessions.ts";

describe("access", () => {
  it("a caller without a valid key gets no access", async () => {
    const account = await signUp();
    const revokedAccount = await signUp();
    await rotateKey(revokedAccount);
    const tokens: [string | undefined, string][] = [
      [undefined, "unauthorized"],
      ["nonsense", "unauthorized"],
      [account.session, "unauthorized"],
      [`${account.key}x`, "unauthorized"],
      [revokedAccount.key, "key_revoked"],
    ];
    for (const [key, error] of tokens) {
      const answer = await send("POST", { key, body: INITIALIZE });
      expect(answer.status, String(key)).toBe(401);
      expect(answer.headers.get("www-authenticate")).toMatch(/^Bearer/);
      expect(answer.headers.get("date")).toBeTruthy();
      expect(await answer.json()).toMatchObject({ error, request_id: answer.headers.get("x-request-id") });
    }
  });

  it("a caller that tries keys and tokens by the hundred is blocked", async () => {
    const { key } = await signUp();
    const tries: [string, string][] = [
      [`${key}x`, "203.0.113.81"],
      ["crier_at_nonsense", "203.0.113.82"],
    ];
    for (const [token, ip] of tries) {
      const headers = { "cf-connecting-ip": ip };
      const { windows } = RATE_LIMITS[token.startsWith("crier_at_") ? "bad_token_address" : "bad_key_address"];
      const most = windows[0][0];
      for (let i = 0; i < most; i += 50) {
        const answers = await Promise.all(
          Array.from({ length: 50 }, () => send("POST", { key: token, body: PING, headers })),
        );
        expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]));
      }
      const refused = await send("POST", { key: token, body: PING, headers });
      expect(refused.status).toBe(429);
      expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
      expect(await refused.json()).toMatchObject({ error: "rate_limited" });
      // A caller with a valid key is not blocked.
      expect((await send("POST", { key, body: INITIALIZE, headers })).status).toBe(200);
    }
  });

  it("a page of another site, and a name that was made to point here, get no access", async () => {
    const { key } = await signUp();
    for (const headers of [
      { origin: "https://evil.example" },
      { origin: "null" },
      { origin: "http://crier.test.evil.example" },
    ]) {
      expect((await send("POST", { key, body: INITIALIZE, headers })).status).toBe(403);
    }
    expect((await send("POST", { key, body: INITIALIZE, url: "http://rebound.example/mcp" })).status).toBe(403);
    expect((await send("POST", { key, body: INITIALIZE, headers: { origin: "http://crier.test" } })).status).toBe(200);
  });

  it("GET, which would keep a stream open, is not accepted", async () => {
    const { key } = await signUp();
    for (const method of ["GET", "PUT", "OPTIONS"]) {
      const answer = await send(method, { key });
      expect(answer.status).toBe(405);
      expect(answer.headers.get("allow")).toBe("POST, DELETE");
    }
  });

  it("a caller cannot act as another caller, whatever headers it sends", async () => {
    const [mine, theirs] = [await signUp(), await signUp()];
    const caller = {
      kind: "key",
      keyId: "key_1",
      name: "Key",
      workspaceId: theirs.workspace,
      scopes: SCOPES,
      channels: null,
      budget: null,
    };
    const headers = { "x-crier-call": JSON.stringify({ caller, requestId: "req_1", address: null }) };
    await connect(theirs.key, "bluesky");
    const session = await beginSession(mine.key);
    const body = { ...USAGE, params: { name: "list_channels", arguments: {} } };
    const [answer] = await readMessages(
      await send("POST", { key: mine.key, body, headers: { ...headers, "mcp-session-id": session } }),
    );
    expect(answer).toMatchObject({ result: { structuredContent: { channels: [] } } });
  });
});

describe("messages", () => {
  it("a message must be JSON of a reasonable size", async () => {
    const { key } = await signUp();
    expect((await send("POST", { key, body: "{", headers: {} })).status).toBe(400);
    expect((await send("POST", { key, body: "{}", headers: { "content-type": "text/plain" } })).status).toBe(415);
    const large = JSON.stringify({ ...PING, params: { text: "x".repeat(BODY_BYTES_MAX) } });
    expect((await send("POST", { key, body: large })).status).toBe(413);
    const declared = await send("POST", {
      key,
      body: "{}",
      headers: { "content-length": String(10 * BODY_BYTES_MAX) },
    });
    expect(declared.status).toBe(413);
  });

  it("a message that parsers read differently, or that has too many levels, is rejected", async () => {
    const { key } = await signUp();
    const twice = '{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/list"}';
    const abyss = JSON.stringify(USAGE).replace(
      '"arguments":{}',
      `"arguments":${"[".repeat(50_000)}${"]".repeat(50_000)}`,
    );
    for (const body of [twice, '{"__proto__":{}}', abyss, "[", "", "nonsense"]) {
      const answer = await send("POST", { key, body });
      expect(answer.status, body.slice(0, 80)).toBe(400);
      expect(await answer.json()).toMatchObject({ jsonrpc: "2.0", error: { code: -32700 } });
    }
    for (const body of ["\ufeff{}", "null", "[]", "7", '"text"', "[[]]"]) {
      expect((await send("POST", { key, body })).status, body).toBe(400);
    }
  });

  it("a message may be a batch, as in the first revision of the protocol, and is answered message by message", async () => {
    const { key } = await signUp();
    const headers = { "mcp-session-id": await beginSession(key) };
    const answers = await readMessages(
      await send("POST", { key, headers, body: [PING, USAGE, { ...PING, id: 9, method: "no" }] }),
    );
    expect(answers.map(({ id }) => id).sort()).toEqual([2, 4, 9]);
    expect((await send("POST", { key, body: [INITIALIZE, INITIALIZE] })).status).toBe(400);
  });

  it("an unknown method or tool is refused with the protocol's own errors", async () => {
    const { key } = await signUp();
    const headers = { "mcp-session-id": await beginSession(key) };
    const [unknown] = await readMessages(await send("POST", { key, headers, body: { ...PING, method: "tools/burn" } }));
    expect(unknown).toMatchObject({ id: 2, error: { code: -32601 } });
    const burn = { ...USAGE, params: { name: "burn", arguments: {} } };
    const [noTool] = await readMessages(await send("POST", { key, headers, body: burn }));
    expect(noTool).toMatchObject({ id: 4, error: { code: -32602 } });
  });

  it("a message of 2026-07-28 must name the same method in its headers and in its body", async () => {
    const { key } = await signUp();
    const meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": {},
      "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
    };
    const body = { ...LIST_TOOLS, params: { _meta: meta } };
    const right = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/list" };
    expect((await send("POST", { key, body, headers: right })).status).toBe(200);
    const wrong = await send("POST", { key, body, headers: { ...right, "mcp-method": "tools/call" } });
    expect(wrong.status).toBe(400);
    expect(await wrong.json()).toMatchObject({ error: { code: -32020 } });
  });
});
