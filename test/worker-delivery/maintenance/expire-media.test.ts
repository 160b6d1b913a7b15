// Files that no post needs any more are deleted together with their bytes.
import { createExecutionContext } from "cloudflare:test";
import { expect, it } from "vitest";
import { compose } from "../../../src/compose.ts";
import { app } from "../../../src/http/app.ts";
import { deleteWorkspaceData } from "../../../src/maintenance/delete-workspace-data.ts";
import { workspacesToClear } from "../../../src/store/accounts/delete-workspaces.ts";
import { testEnv } from "../../support/env.ts";
import { type Account, call, connect, finished, getPost, post, signUp, uploadImage } from "../../support/world.ts";
import { DAY_MS, getFile, getStagedBytes, isStored, passTime, sweep, withoutSweeper } from "./swept-files.ts";

withoutSweeper();
const soon = () => new Date(Date.now() + 2 * DAY_MS).toISOString();
const cancel = ({ key }: Account, id: string) => call("DELETE", `/v1/posts/${id}`, { token: key });

async function publishWith(account: Account, media: string) {
  const channel = await connect(account.key, "telegram");
  const { id } = await post(account.key, { text: "x", media: [media], channels: [channel.id] });
  expect((await finished(account.key, id)).status).toBe("published");
  return { channel, id };
}

it("deletes the copy seven days after its post was published, marks the row, and releases its bytes once", async () => {
  const account = await signUp();
  const [image, otherImage] = [await uploadImage(account), await uploadImage(account)];
  expect(await getFile(account, image.id)).toMatchObject({ expires_at: null });
  const { channel, id } = await publishWith(account, image.id);
  const row = await testEnv.DB.prepare("SELECT finished_at AS at FROM posts WHERE id = ?").bind(id).first("at");
  const expiresAt = new Date(Number(row) + 7 * DAY_MS).toISOString();
  expect(await getFile(account, image.id)).toMatchObject({ state: "ready", expires_at: expiresAt });

  await passTime(image.id, 7 * DAY_MS - 60_000);
  await sweep();
  expect(await isStored(account, image.id)).toBe(true);
  expect(await getStagedBytes(account)).toBe(image.bytes + otherImage.bytes);

  await passTime(image.id, 60_000);
  for (let i = 0; i < 3; i++) await sweep();
  expect(await isStored(account, image.id)).toBe(false);
  expect(await isStored(account, otherImage.id)).toBe(true);
  expect(await getStagedBytes(account)).toBe(otherImage.bytes);
  const expiredFile = await getFile(account, image.id);
  expect(expiredFile).toMatchObject({ state: "expired", bytes: image.bytes });
  expect(Date.parse(expiredFile.expires_at ?? "")).toBeLessThanOrEqual(Date.now());

  const day = (expiredFile.expires_at ?? "").slice(0, 10);
  for (const body of [{ media: [image.id] }, { overrides: { [channel.id]: { media: [image.id] } } }]) {
    const refused = await call("POST", "/v1/posts", {
      token: account.key,
      body: { text: "x", channels: [channel.id], ...body },
    });
    expect(refused).toMatchObject({
      status: 422,
      body: {
        error: "unknown_media",
        message: `The stored copy of this file was deleted on ${day}.`,
        hint: "Upload it again.",
      },
    });
  }
  expect((await call("DELETE", `/v1/media/${image.id}`, { token: account.key })).body).toMatchObject({
    error: "media_in_use",
  });
  expect(await getStagedBytes(account)).toBe(otherImage.bytes);
});

it("keeps the copy that the workspace wants to keep, counts it, and deletes it seven days after it is no longer kept", async () => {
  const account = await signUp();
  const image = await uploadImage(account);
  const keep = (value: boolean) =>
    call("PATCH", `/v1/media/${image.id}`, { token: account.key, body: { keep: value } });
  await publishWith(account, image.id);
  expect(await keep(true)).toMatchObject({ status: 200, body: { keep: true, expires_at: null } });
  await passTime(image.id, 30 * DAY_MS);
  await sweep();
  expect(await isStored(account, image.id)).toBe(true);
  expect(await getStagedBytes(account)).toBe(image.bytes);
  // The time of a file that is no longer kept begins anew.
  await keep(false);
  const { expires_at: expiresAt } = await getFile(account, image.id);
  expect(Date.parse(expiresAt ?? "")).toBeGreaterThan(Date.now() + 6 * DAY_MS);
  await sweep();
  expect(await isStored(account, image.id)).toBe(true);
  await passTime(image.id, 7 * DAY_MS);
  for (let i = 0; i < 3; i++) await sweep();
  expect(await isStored(account, image.id)).toBe(false);
  expect(await getStagedBytes(account)).toBe(0);
  expect(await keep(true)).toMatchObject({ status: 422, body: { error: "unknown_media", field: "/keep" } });
});

it("keeps the copy while a draft or scheduled post uses it, and no longer", async () => {
  const account = await signUp();
  const image = await uploadImage(account);
  const { channel } = await publishWith(account, image.id);
  const { expires_at: first } = await getFile(account, image.id);
  expect(first).not.toBeNull();

  const body = { text: "y", media: [image.id], channels: [channel.id] };
  const draft = await post(account.key, { ...body, draft: true });
  expect(await getFile(account, image.id)).toMatchObject({ expires_at: null });
  await passTime(image.id, 30 * DAY_MS);
  await sweep();
  expect(await isStored(account, image.id)).toBe(true);
  // The draft becomes a scheduled post, and an edit removes the file from it.
  const patchDraft = (change: object) =>
    call("PATCH", `/v1/posts/${draft.id}`, { token: account.key, body: change }).then(({ status }) => status);
  expect(await patchDraft({ draft: false, publish_at: soon() })).toBe(200);
  await sweep();
  expect(await getFile(account, image.id)).toMatchObject({ state: "ready", expires_at: null });
  expect(await patchDraft({ media: [] })).toBe(200);
  const after = await getFile(account, image.id);
  expect(Date.parse(after.expires_at ?? "")).toBe(Date.parse(first ?? "") - 30 * DAY_MS);
  expect(await patchDraft({ media: [image.id] })).toBe(200);
  expect(await getFile(account, image.id)).toMatchObject({ expires_at: null });
  expect(await patchDraft({ draft: true })).toBe(200);
  expect((await cancel(account, draft.id)).status).toBe(204);
  await sweep();
  expect(await isStored(account, image.id)).toBe(false);
  expect(await getStagedBytes(account)).toBe(0);
});

it("keeps the copy while an open portal shows it as its logo, and no longer", async () => {
  const account = await signUp();
  const image = await uploadImage(account);
  const { channel } = await publishWith(account, image.id);
  const portal = await call<{ id: string; expires_at: string }>("POST", "/v1/portals", {
    token: account.key,
    body: { name: "Northwind", channels: [channel.id], brand: { logo_media: image.id } },
  });
  await passTime(image.id, 8 * DAY_MS);
  await sweep();
  expect(await isStored(account, image.id)).toBe(true);
  expect(await getFile(account, image.id)).toMatchObject({ state: "ready", expires_at: portal.body.expires_at });
  await call("DELETE", `/v1/portals/${portal.body.id}`, { token: account.key });
  await passTime(image.id, 31 * DAY_MS);
  await sweep();
  expect(await isStored(account, image.id)).toBe(false);
});

it("counts from the post that ended last if two posts use a file, even if that post was cancelled", async () => {
  const account = await signUp();
  const image = await uploadImage(account);
  const channel = await connect(account.key, "bluesky");
  const body = { text: "x", media: [image.id], channels: [channel.id], publish_at: soon() };
  const [first, second] = [await post(account.key, body), await post(account.key, body)];
  expect((await cancel(account, first.id)).status).toBe(200);
  expect(await getFile(account, image.id)).toMatchObject({ expires_at: null });
  await passTime(image.id, 3 * DAY_MS);
  expect((await cancel(account, second.id)).status).toBe(200);
  const { expires_at } = await getFile(account, image.id);
  const ended = Date.parse((await getPost(account.key, second.id)).updated_at);
  expect(Math.abs(Date.parse(expires_at ?? "") - ended - 7 * DAY_MS)).toBeLessThan(1_000);
  await passTime(image.id, 7 * DAY_MS);
  await sweep();
  expect(await getFile(account, image.id)).toMatchObject({ state: "expired" });
});

it("keeps a file that no finished post has used", async () => {
  const account = await signUp();
  const image = await uploadImage(account);
  const draft = await post(account.key, { text: "x", media: [image.id], draft: true });
  expect((await cancel(account, draft.id)).status).toBe(204);
  await passTime(image.id, 365 * DAY_MS);
  for (let i = 0; i < 2; i++) await sweep();
  expect(await getFile(account, image.id)).toMatchObject({ state: "ready", expires_at: null });
  expect(await isStored(account, image.id)).toBe(true);
  expect(await getStagedBytes(account)).toBe(image.bytes);
});

it("does not use a file that is deleted between the check of a post and its write", async () => {
  const account = await signUp();
  const image = await uploadImage(account);
  const { channel } = await publishWith(account, image.id);
  const draft = await post(account.key, { text: "x", draft: true });
  const body = { text: "y", media: [image.id], channels: [channel.id] };
  let isWriting = false;
  const sweepingDb = new Proxy(testEnv.DB, {
    get(db, name) {
      if (name === "prepare") {
        return (sql: string) => {
          isWriting ||= /^(insert into|update) "posts"/.test(sql);
          return db.prepare(sql);
        };
      }
      return async (statements: D1PreparedStatement[]) => {
        if (isWriting) {
          await passTime(image.id, 7 * DAY_MS);
          await sweep();
        }
        return db.batch(statements);
      };
    },
  });
  const { expires_at } = await getFile(account, image.id);
  for (const [method, path] of [
    ["POST", "/v1/posts"],
    ["PATCH", `/v1/posts/${draft.id}`],
  ]) {
    await testEnv.DB.prepare("UPDATE media SET state = 'ready', expires_at = ? WHERE id = ?")
      .bind(Date.parse(expires_at ?? ""), image.id)
      .run();
    isWriting = false;
    const headers = { authorization: `Bearer ${account.key}`, "content-type": "application/json" };
    const request = new Request(`http://crier.test${path}`, { method, headers, body: JSON.stringify(body) });
    const answer = await app.fetch(request, { ...testEnv, DB: sweepingDb }, createExecutionContext());
    expect(answer.status).toBe(422);
    expect(await answer.json()).toMatchObject({ error: "unknown_media", field: "/media/0", hint: "Upload it again." });
  }
  const uses = await testEnv.DB.prepare("SELECT COUNT(*) AS n FROM media_uses WHERE media_id = ?").bind(image.id);
  expect(await uses.first("n")).toBe(1);
  expect((await getPost(account.key, draft.id)).media).toEqual([]);
});

it("continues in the next sweep if a sweep dies before deleting the object", async () => {
  const account = await signUp();
  const image = await uploadImage(account);
  await publishWith(account, image.id);
  await passTime(image.id, 7 * DAY_MS);
  const { MEDIA } = testEnv;
  if (MEDIA === undefined) throw new Error("no bucket");
  const failingBucket = new Proxy(MEDIA, {
    get: (bucket, name) =>
      name === "delete" ? () => Promise.reject(new Error("died")) : Reflect.get(bucket, name).bind(bucket),
  });
  await expect(sweep({ ...testEnv, MEDIA: failingBucket })).rejects.toThrow("died");
  expect(await getFile(account, image.id)).toMatchObject({ state: "expired" });
  expect(await getStagedBytes(account)).toBe(image.bytes);
  expect(await isStored(account, image.id)).toBe(true);
  await sweep();
  expect(await isStored(account, image.id)).toBe(false);
  expect(await getStagedBytes(account)).toBe(0);
});

it("clears an erased workspace once more after its last upload URL has expired", async () => {
  const account = await signUp();
  const { id } = await uploadImage(account);
  expect((await call("DELETE", "/v1/auth/me", { token: account.session })).status).toBe(204);
  const ctx = compose(testEnv, () => {});
  const isDue = async () => (await workspacesToClear(ctx.accounts, 1_000)).includes(account.workspace);
  await deleteWorkspaceData(ctx, account.workspace);
  expect(await isDue()).toBe(false);
  await testEnv.MEDIA?.put(`m/${account.workspace}/${id}`, "late");
  const archived = `archive/${account.workspace}/2026-01/post_x.ndjson`;
  await testEnv.MEDIA?.put(archived, "late");
  const pass = (ms: number) =>
    testEnv.DB.prepare("UPDATE clearances SET since = since - ?1, next_at = next_at - ?1 WHERE workspace_id = ?2")
      .bind(ms, account.workspace)
      .run();
  // Shortly before the end, a requested clearance deletes the bytes that have arrived, and the final clearance stays
  // due.
  await pass(DAY_MS + 10 * 60_000);
  await deleteWorkspaceData(ctx, account.workspace);
  await testEnv.MEDIA?.put(`m/${account.workspace}/${id}`, "later");
  expect(await isDue()).toBe(false);
  await pass(5 * 60_000);
  expect(await isDue()).toBe(true);
  await deleteWorkspaceData(ctx, account.workspace);
  expect(await isStored(account, id)).toBe(false);
  expect(await testEnv.MEDIA?.head(archived)).toBeNull();
  expect(
    await testEnv.DB.prepare("SELECT COUNT(*) AS n FROM clearances WHERE workspace_id = ?")
      .bind(account.workspace)
      .first("n"),
  ).toBe(0);
});

it("expires hundreds of files of many workspaces over several sweeps, and releases each workspace's own bytes", async () => {
  const accounts = [await signUp(), await signUp(), await signUp()];
  for (const [i, { workspace }] of accounts.entries()) {
    await testEnv.DB.batch([
      testEnv.DB.prepare(
        `INSERT INTO media (workspace_id, id, kind, state, object_key, content_type, bytes, created_at, expires_at)
          WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 250)
          SELECT ?1, printf('med_%026d', i), 'image', 'ready', printf('m/%s/med_%026d', ?1, i), 'image/png', ?2, 0, i FROM n`,
      ).bind(workspace, i + 1),
      testEnv.DB.prepare("UPDATE workspaces SET staged_bytes = ?2 * 250 + 7 WHERE id = ?1").bind(workspace, i + 1),
    ]);
  }
  const countExpired = async () =>
    testEnv.DB.prepare(
      "SELECT COUNT(*) AS n FROM media WHERE state = 'expired' AND workspace_id IN (SELECT value FROM json_each(?))",
    )
      .bind(JSON.stringify(accounts.map(({ workspace }) => workspace)))
      .first<number>("n");
  await sweep();
  expect(await countExpired()).toBe(500);
  await sweep();
  expect(await countExpired()).toBe(750);
  for (const account of accounts) expect(await getStagedBytes(account)).toBe(7);
});
