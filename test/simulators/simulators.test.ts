// The simulators refuse what the networks refuse, and misbehave exactly as scripted.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makePng } from "../local/png.ts";
import type { LedgerEntry } from "./ledger.ts";
import { type Simulators, startSimulators } from "./server.ts";

let simulators: Simulators;
beforeAll(async () => {
  simulators = await startSimulators({ port: 0 });
});
afterAll(() => simulators.close());

async function call<Body = { [key: string]: string }>(
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
) {
  const init =
    body === undefined
      ? {}
      : { method: "POST", body: JSON.stringify(body), headers: { "content-type": "application/json" } };
  const response = await fetch(simulators.url + path, { ...init, headers: { ...init.headers, ...headers } });
  const text = await response.text();
  return { status: response.status, body: (text === "" ? {} : JSON.parse(text)) as Body };
}
const ledger = async (account: string) =>
  (await call<{ ledger: LedgerEntry[] }>(`/_sim/ledger?account=${encodeURIComponent(account)}`)).body.ledger;

describe("bluesky", () => {
  const xrpc = "/bluesky/xrpc";
  const signIn = async (identifier: string) => {
    const { body } = await call(`${xrpc}/com.atproto.server.createSession`, {
      identifier,
      password: "abcd-efgh-ijkl-mnop",
    });
    return { did: body.did ?? "", refresh: body.refreshJwt ?? "", auth: { authorization: `Bearer ${body.accessJwt}` } };
  };
  const record = (text: string, more: object = {}) => ({
    $type: "app.bsky.feed.post",
    text,
    createdAt: "2026-11-21T00:00:00.000Z",
    ...more,
  });
  const put = (session: Awaited<ReturnType<typeof signIn>>, rkey: string, value: object) =>
    call(
      `${xrpc}/com.atproto.repo.putRecord`,
      { repo: session.did, collection: "app.bsky.feed.post", rkey, record: value, validate: true, swapRecord: null },
      session.auth,
    );

  it("takes the same record twice as once, and refuses another under its key", async () => {
    const session = await signIn("twice.bsky.social");
    const first = await put(session, "3n2s72t46tqfc", record("once"));
    expect(first.body).toHaveProperty("commit");
    const second = await put(session, "3n2s72t46tqfc", record("once"));
    expect(second.body.cid).toBe(first.body.cid);
    expect(second.body).not.toHaveProperty("commit");
    expect(await put(session, "3n2s72t46tqfc", record("other"))).toMatchObject({
      status: 400,
      body: { error: "InvalidSwap" },
    });
    expect((await ledger("twice.bsky.social")).map(({ token }) => token)).toEqual(["3n2s72t46tqfc"]);
  });

  it("refuses wrong passwords, and tokens that have expired until they are refreshed", async () => {
    const session = await signIn("tokens.bsky.social");
    const wrong = await call(`${xrpc}/com.atproto.server.createSession`, {
      identifier: "tokens.bsky.social",
      password: "xxxx-xxxx-xxxx-xxxx",
    });
    expect(wrong).toMatchObject({ status: 401, body: { error: "AuthenticationRequired" } });
    await call("/_sim/faults", { platform: "bluesky", account: "tokens.bsky.social", expire_token: true });
    expect(await put(session, "3n2s72t46tqfd", record("x"))).toMatchObject({
      status: 400,
      body: { error: "ExpiredToken" },
    });
    const refreshed = await call(
      `${xrpc}/com.atproto.server.refreshSession`,
      {},
      { authorization: `Bearer ${session.refresh}` },
    );
    const auth = { authorization: `Bearer ${refreshed.body.accessJwt}` };
    expect((await put({ ...session, auth }, "3n2s72t46tqfd", record("x"))).status).toBe(200);
  });

  it.each([
    [record("a".repeat(301)), "grapheme too big"],
    [record("ü", { facets: [{ index: { byteStart: 1, byteEnd: 2 }, features: [] }] }), "byte range"],
    [record("x", { facets: [{ index: { byteStart: 0, byteEnd: 9 }, features: [] }] }), "byte range"],
    [record("x", { createdAt: "yesterday" }), "datetime"],
    [record("x", { embed: { $type: "app.bsky.embed.images", images: [] } }), "maximum 4"],
  ])("refuses %j", async (value, message) => {
    const session = await signIn("strict.bsky.social");
    const answer = await put(session, "3n2s72t46tqfe", value);
    expect(answer).toMatchObject({
      status: 400,
      body: { error: "InvalidRequest", message: expect.stringContaining(message) },
    });
    expect(await ledger("strict.bsky.social")).toEqual([]);
  });

  it("shows only blobs that the account has", async () => {
    const session = await signIn("blobs.bsky.social");
    const image = { $type: "blob", ref: { $link: "bafkreinone" }, mimeType: "image/png", size: 1 };
    const value = record("x", { embed: { $type: "app.bsky.embed.images", images: [{ image, alt: "" }] } });
    expect(await put(session, "3n2s72t46tqff", value)).toMatchObject({ status: 400, body: { error: "BlobNotFound" } });
  });
});

describe("telegram", () => {
  const bot = `/telegram/bot123456789:${"A".repeat(35)}`;

  it("publishes, and has nothing that would recognise a repeat", async () => {
    for (let i = 0; i < 2; i++)
      expect((await call(`${bot}/sendMessage`, { chat_id: "@repeat", text: "x" })).status).toBe(200);
    expect(await ledger("@repeat")).toHaveLength(2);
  });

  it.each([
    ["sendMessage", { chat_id: "@limits", text: "" }, 400],
    ["sendMessage", { chat_id: "@limits", text: "a".repeat(4_097) }, 400],
    ["sendMessage", { chat_id: "@limits", text: "<b>x", parse_mode: "HTML" }, 400],
    ["sendMessage", { chat_id: "@missing_one", text: "x" }, 400],
    ["sendMessage", { chat_id: "@kicked_one", text: "x" }, 403],
    ["sendMediaGroup", { chat_id: "@limits", media: [] }, 400],
    ["nonsense", {}, 404],
  ])("%s %j is %i", async (method, body, status) => {
    expect(await call<{ ok: boolean; error_code: number }>(`${bot}/${method}`, body)).toMatchObject({
      status,
      body: { ok: false, error_code: status },
    });
    expect(await ledger("@limits")).toEqual([]);
  });

  it("takes a photo and counts every byte; refuses one that is too long for its height", async () => {
    const send = async (width: number, height: number) => {
      const form = new FormData();
      form.set("chat_id", "@photos");
      form.set("caption", "c");
      form.set("photo", new Blob([new Uint8Array(makePng(width, height, 1))], { type: "image/png" }), "a.png");
      return (await fetch(`${simulators.url}${bot}/sendPhoto`, { method: "POST", body: form })).status;
    };
    expect(await send(40, 30)).toBe(200);
    expect(await send(410, 20)).toBe(400);
    expect((await ledger("@photos")).map(({ media }) => media[0]?.bytes)).toEqual([makePng(40, 30, 1).byteLength]);
  });
});

describe("faults", () => {
  const bot = `/telegram/bot123456789:${"A".repeat(35)}`;
  const arm = (fault: object) => call("/_sim/faults", { platform: "telegram", call: "sendMessage", ...fault });
  const send = (account: string) => call(`${bot}/sendMessage`, { chat_id: account, text: "x" });

  it("accept and drop, drop before, answer as told, and count", async () => {
    await arm({ account: "@faulty", do: "reset_after_accept" });
    await expect(send("@faulty")).rejects.toThrow();
    expect(await ledger("@faulty")).toHaveLength(1);
    await arm({ account: "@faulty", do: "reset_before" });
    await expect(send("@faulty")).rejects.toThrow();
    expect(await ledger("@faulty")).toHaveLength(1);
    await arm({
      account: "@faulty",
      do: "status",
      status: 429,
      headers: { "retry-after": "7" },
      body: { ok: false },
      skip: 1,
      count: 2,
    });
    expect([
      (await send("@faulty")).status,
      (await send("@faulty")).status,
      (await send("@faulty")).status,
      (await send("@faulty")).status,
    ]).toEqual([200, 429, 429, 200]);
    expect((await send("@other")).status).toBe(200);
  });

  it("are refused when they make no sense", async () => {
    expect(await arm({ do: "explode" })).toMatchObject({ status: 422, body: { error: "invalid_fault" } });
  });

  it("leave no call hanging when the server closes", async () => {
    const own = await startSimulators({ port: 0 });
    await fetch(`${own.url}/_sim/faults`, {
      method: "POST",
      body: JSON.stringify({ platform: "telegram", call: "getMe", do: "timeout" }),
    });
    const hanging = fetch(`${own.url}${bot}/getMe`).then(
      () => "answered",
      () => "broken",
    );
    await own.close();
    expect(await hanging).toBe("broken");
  });
});

it("the user can remove a post, and the page shows it without letting its text become markup", async () => {
  const bot = `/telegram/bot123456789:${"A".repeat(35)}`;
  await call(`${bot}/sendMessage`, { chat_id: "@removed", text: "<script>alert(1)</script>" });
  const [entry] = await ledger("@removed");
  const removed = await fetch(`${simulators.url}/_sim/posts/telegram/${encodeURIComponent(entry?.id ?? "")}`, {
    method: "DELETE",
  });
  expect(removed.status).toBe(204);
  expect((await ledger("@removed"))[0]?.deleted).toBe(true);
  const page = await (await fetch(simulators.url)).text();
  expect(page).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
  expect(page).not.toContain("<script>alert(1)");
});
