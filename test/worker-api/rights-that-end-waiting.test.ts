// A call whose rights end while it waits for a file, another host or the hash of a password has no effect.
import { describe, expect, it } from "vitest";
import { makePng } from "../../scripts/local/png.ts";
import { compose } from "../../src/compose.ts";
import type { Context } from "../../src/context.ts";
import { CSV } from "../../src/contract/import-posts.ts";
import type { OperationName } from "../../src/contract/index.ts";
import { handlers } from "../../src/operations/index.ts";
import { testEnv } from "../support/env.ts";
import { type Account, call, type PostBody, signUp, unique, uploadImage } from "../support/world.ts";
import { openTeam } from "./approvals.ts";

/** Makes a context in which the first slow call of the outside world starts `meanwhile` and waits for it. */
function makeSlowContext(meanwhile: () => Promise<void>): Context {
  const ctx = compose(testEnv, () => {});
  const { bucket } = ctx;
  if (bucket === null) return expect.fail("no bucket");
  let pending: Promise<void> | null = null;
  const late = async <Done>(work: () => Promise<Done>): Promise<Done> => {
    pending ??= meanwhile();
    await pending;
    return work();
  };
  const { outbound, passwords } = ctx;
  return {
    ...ctx,
    bucket: {
      ...bucket,
      stat: (key) => late(() => bucket.stat(key)),
      copy: (...copied) => late(() => bucket.copy(...copied)),
    },
    outbound: {
      ...outbound,
      admit: (url) => late(() => outbound.admit(url)),
      fetch: (...request) => late(() => outbound.fetch(...request)),
    },
    passwords: { ...passwords, verify: (...compared) => late(() => passwords.verify(...compared)) },
  };
}

const READY = { params: {}, query: {}, body: undefined, idempotencyKey: null };

/** Calls an operation with a token that ends while the call waits. */
function callSlowly(name: OperationName, account: Account, token: string, raw: object, end: () => Promise<void>) {
  const credentials = { token, workspaces: token.startsWith("sess_") ? [account.workspace] : [] };
  return handlers[name].invokeFor(makeSlowContext(end), credentials, async () => ({ ...READY, ...raw }));
}
const revokeKey = async ({ session, workspace }: Account) => {
  const path = `/v1/workspaces/${workspace}/key/rotate`;
  expect((await call("POST", path, { token: session })).status).toBe(200);
};
const count = (table: string, { workspace }: Account) =>
  testEnv.DB.prepare(`SELECT COUNT(*) AS n FROM ${table} WHERE workspace_id = ?`).bind(workspace).first<number>("n");

/** Makes a host serve an image, and returns its address. */
async function serveImage(): Promise<string> {
  const bytes = new Uint8Array(makePng(64, 48, 0));
  const head = btoa(String.fromCharCode(...bytes));
  const url = `${testEnv.FILE_HOST}${unique("/f")}.png`;
  const body = JSON.stringify({ head, bytes: bytes.byteLength, length: true, ranges: false });
  expect((await fetch(url, { method: "PUT", body })).status).toBe(204);
  return url;
}
const registerImage = async (owner: Account) => {
  const body = { url: await serveImage(), kind: "image" };
  return (await call<{ id: string }>("POST", "/v1/media", { token: owner.key, body })).body.id;
};

describe("a key that is revoked during a call", () => {
  it("a post is not created if its key is revoked while its upload is inspected", async () => {
    const { owner, channel } = await openTeam("none");
    const { id } = await uploadImage(owner);
    const body = { text: "x", channels: [channel.id], media: [id] };
    const late = callSlowly("posts.create", owner, owner.key, { body }, () => revokeKey(owner));
    await expect(late).rejects.toMatchObject({ code: "key_revoked" });
    expect(await count("posts", owner)).toBe(0);
  });

  it("a post is not created if its key is revoked while its file is copied for an approval", async () => {
    const { owner, channel } = await openTeam("all");
    const body = { text: "x", channels: [channel.id], media: [await registerImage(owner)] };
    const late = callSlowly("posts.create", owner, owner.key, { body }, () => revokeKey(owner));
    await expect(late).rejects.toMatchObject({ code: "key_revoked" });
    expect(await count("posts", owner)).toBe(0);
  });

  it("a post is not edited if its key is revoked while its upload is sealed", async () => {
    const { owner, channel, create } = await openTeam("all");
    const { body: waiting } = await create(owner);
    const { id } = await uploadImage(owner);
    const raw = { params: { id: waiting.id }, body: { media: [id], channels: [channel.id] } };
    const late = callSlowly("posts.update", owner, owner.key, raw, () => revokeKey(owner));
    await expect(late).rejects.toMatchObject({ code: "key_revoked" });
    const read = await call<PostBody>("GET", `/v1/posts/${waiting.id}`, {
      token: owner.session,
      headers: { "x-workspace": owner.workspace },
    });
    expect(read.body).toMatchObject({ rev: waiting.rev, media: [] });
  });

  it("no row and no file is imported if the key is revoked while a file is copied", async () => {
    const { owner, channel } = await openTeam("all");
    const text = `text,channels,media_urls\nx,${channel.id},${await serveImage()}\n`;
    const raw = { query: {}, body: { type: CSV, text } };
    const late = callSlowly("posts.import", owner, owner.key, raw, () => revokeKey(owner));
    await expect(late).rejects.toMatchObject({ code: "key_revoked" });
    expect([await count("posts", owner), await count("media", owner)]).toEqual([0, 0]);
  });

  it("a file is not registered if its key is revoked while the file's host is called", async () => {
    const owner = await signUp();
    const body = { url: await serveImage(), kind: "image", verify: true };
    const late = callSlowly("media.register", owner, owner.key, { body }, () => revokeKey(owner));
    await expect(late).rejects.toMatchObject({ code: "key_revoked" });
    expect(await count("media", owner)).toBe(0);
  });

  it("a webhook is not registered if its key is revoked while the webhook's host is resolved", async () => {
    const owner = await signUp();
    const body = { url: "https://listener.example.com/hook" };
    const late = callSlowly("webhooks.create", owner, owner.key, { body }, () => revokeKey(owner));
    await expect(late).rejects.toMatchObject({ code: "key_revoked" });
    expect(await count("webhooks", owner)).toBe(0);
  });
});

describe("a session that ends while its password is checked", () => {
  const PASSWORD = "correct horse battery";
  const endSession = async ({ session }: Account) => {
    expect((await call("POST", "/v1/auth/logout", { token: session })).status).toBe(204);
  };
  it.each([
    ["adds no factor", "factors.add", { kind: "totp", password: PASSWORD }],
    [
      "does not change the password",
      "accounts.change-password",
      { current: PASSWORD, password: "another fine password" },
    ],
    ["does not request another address", "accounts.change-email", { email: "other@example.com", password: PASSWORD }],
    ["does not erase the account", "accounts.erase", { password: PASSWORD }],
  ] as const)("a session that ends while its password is checked %s", async (_title, name, body) => {
    const account = await signUp();
    const late = callSlowly(name, account, account.session, { body }, () => endSession(account));
    await expect(late).rejects.toMatchObject({ code: "session_expired" });
  });
});

it("a call succeeds after a wait during which no right ended", async () => {
  const owner = await signUp();
  const body = { url: await serveImage(), kind: "image", verify: true };
  expect(await callSlowly("media.register", owner, owner.key, { body }, async () => {})).toMatchObject({ status: 201 });
});
