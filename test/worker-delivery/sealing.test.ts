import { describe, expect, it } from "vitest";
import operations from "../../docs/operations.md?raw";
import { createSeal } from "../../src/adapters/seal.ts";
import { openWebhookSecrets } from "../../src/adapters/webhook-secrets.ts";
import { compose } from "../../src/compose.ts";
import type { Context } from "../../src/context.ts";
import { type RotationCursor, rotateSeals } from "../../src/maintenance/rotate-seals.ts";
import { SEALED_KINDS } from "../../src/store/sealed.ts";
import { testEnv } from "../support/env.ts";
import { eventually } from "../support/eventually.ts";
import { age } from "../support/lanes.ts";
import { publishNow } from "../support/machine.ts";
import { CHUNKS_DIVISOR } from "../support/small-chunks.ts";
import { call, connect, fault, finished, getPost, ledger, post, signUp, uploadVideo } from "../support/world.ts";

const key = (fill: number) => new Uint8Array(32).fill(fill);
const place = { purpose: "channel-credential", workspace: "ws_1", row: "ch_1" } as const;

describe("a sealed value", () => {
  const seal = createSeal(new Map([["a", key(1)]]), "a");

  it("can be unsealed for its own row", async () => {
    const sealed = await seal.seal("secret ü", place);
    expect(sealed).toMatch(/^v1\.a\.[\w-]{16}\.[\w-]+$/);
    expect(sealed).not.toContain("secret");
    expect(await seal.unseal(sealed, place)).toBe("secret ü");
    expect(await seal.seal("secret ü", place)).not.toBe(sealed);
  });

  it("cannot be unsealed for another row, after any change, or with another key", async () => {
    const sealed = await seal.seal("secret", place);
    expect(await seal.unseal(sealed, { ...place, row: "ch_2" })).toBeNull();
    expect(await seal.unseal(sealed, { ...place, workspace: "ws_2" })).toBeNull();
    expect(await seal.unseal(sealed, { ...place, purpose: "workspace-key" })).toBeNull();
    expect(await createSeal(new Map([["a", key(2)]]), "a").unseal(sealed, place)).toBeNull();
    expect(await createSeal(new Map([["b", key(1)]]), "b").unseal(sealed, place)).toBeNull();
    for (let i = 0; i < sealed.length - 1; i++) {
      const flipped = sealed.slice(0, i) + (sealed[i] === "A" ? "B" : "A") + sealed.slice(i + 1);
      expect(await seal.unseal(flipped, place), String(i)).toBeNull();
    }
    for (const nonsense of ["", "v1", "v1.a.x.y", "v2.a.b.c", "a.b.c.d.e"])
      expect(await seal.unseal(nonsense, place)).toBeNull();
  });
});

/** A workspace with a sealed value in every column that can contain one. */
async function sealEverything() {
  const account = await signUp();
  const { key: workspaceKey, workspace, session } = account;
  const channel = await connect(workspaceKey, "bluesky");
  const { id: postId } = await finished(
    workspaceKey,
    (await post(workspaceKey, { text: "before", channels: [channel.id] })).id,
  );
  const { body: webhook } = await call<{ id: string }>("POST", "/v1/webhooks", {
    token: workspaceKey,
    body: { url: "https://example.com/hook" },
  });
  await call("POST", `/v1/webhooks/${webhook.id}/rotate-secret`, { token: workspaceKey });
  await call("POST", "/v1/channels/connect", { token: workspaceKey, body: { platform: "linkedin" } });
  const link = await testEnv.DB.prepare("SELECT id FROM connect_links WHERE workspace_id = ?")
    .bind(workspace)
    .first<string>("id");
  const delivery = await testEnv.DB.prepare("SELECT id FROM deliveries WHERE post_id = ?")
    .bind(postId)
    .first<string>("id");
  if (link === null || delivery === null) throw new Error("there is no such row");
  const { seal } = compose(testEnv, () => {});
  const sealValue = (purpose: "publish-key" | "oauth-transaction", row: string) =>
    seal?.seal("made on the way", { purpose, workspace, row });
  await testEnv.DB.prepare("UPDATE deliveries SET publish_key = ?1 WHERE id = ?2")
    .bind(await sealValue("publish-key", delivery), delivery)
    .run();
  await testEnv.DB.prepare(
    `INSERT INTO follow_ups (workspace_id, post_id, channel_id, kind, state, publish_key)
      SELECT workspace_id, post_id, channel_id, kind.value, 'due', ?1 FROM deliveries, json_each('["playlist", "first_comment"]') AS kind WHERE deliveries.id = ?2`,
  )
    .bind(await sealValue("publish-key", delivery), delivery)
    .run();
  await testEnv.DB.prepare("UPDATE connect_links SET granted = ?1 WHERE id = ?2")
    .bind(await sealValue("oauth-transaction", link), link)
    .run();
  return { workspaceKey, workspace, session, channel, webhook: webhook.id, link, delivery };
}

/** Counts the values that a key has sealed in each column of the workspace's rows. */
async function countSealed(kid: string, workspace: string): Promise<Record<string, number>> {
  const columns = await testEnv.DB.prepare(
    `SELECT m.name AS name, c.name AS col FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type = 'table'
      AND m.name NOT LIKE '\\_%' ESCAPE '\\' AND EXISTS (SELECT 1 FROM pragma_table_info(m.name) w WHERE w.name = 'workspace_id')`,
  ).all<{ name: string; col: string }>();
  const counts: Record<string, number> = {};
  for (const { name, col } of columns.results) {
    const rows = await testEnv.DB.prepare(`SELECT ${col} AS held FROM ${name} WHERE workspace_id = ? AND ${col} LIKE ?`)
      .bind(workspace, `%v1.${kid}.%`)
      .all<{ held: string }>();
    if (rows.results.length > 0) counts[`${name}.${col}`] = rows.results.length;
  }
  return counts;
}

/** Runs the query of docs/operations.md that counts the values sealed by the key `test`. */
async function countAsInDocs(): Promise<number> {
  const query = /--command "(SELECT\n[^"]*v1\.OLD[^"]*)"/.exec(operations)?.[1];
  if (query === undefined) throw new Error("docs/operations.md counts nothing");
  const [count] = Object.values((await testEnv.DB.prepare(query.replaceAll("OLD", "test")).first()) ?? {});
  return Number(count);
}

it("seals every value again with a new key, after which the old key can be removed", async () => {
  const { workspaceKey, workspace, session, channel, webhook, link, delivery } = await sealEverything();
  const sealed = await countSealed("test", workspace);
  expect(Object.keys(sealed).sort()).toEqual([
    "channels.credential",
    "connect_links.granted",
    "connect_links.verifier",
    "deliveries.publish_key",
    "follow_ups.publish_key",
    "webhooks.previous_secrets",
    "webhooks.secret",
    "workspace_keys.sealed",
  ]);
  for (const name of Object.keys(sealed)) {
    const [table, column] = name.split(".");
    expect(operations).toMatch(new RegExp(`FROM ${table} WHERE [^)]*\\b${column} LIKE '%?v1\\.OLD\\.%'`));
  }
  const before = await countAsInDocs();

  const old: Record<string, string> = JSON.parse(testEnv.SEAL_KEYS ?? "{}");
  const bothKeys = JSON.stringify({ ...old, next: btoa("n".repeat(32)) });
  const ctx = compose({ ...testEnv, SEAL_KEYS: bothKeys }, () => {});
  const oldCtx = compose({ ...testEnv, SEAL_KEYS: JSON.stringify({ next: btoa("n".repeat(32)), ...old }) }, () => {});
  // Every value has the current key already, so a complete rotation changes nothing.
  const places: { seals?: RotationCursor | null } = {};
  do await rotateSeals(oldCtx, oldCtx.accounts, places);
  while (places.seals?.kind !== "channel-credential" || places.seals.workspaceId !== "");
  expect(await countSealed("test", workspace)).toEqual(sealed);

  /** Rotates from this workspace on, which is the newest, so that rows of other tests stay unchanged. */
  async function rotate(ctx: Context): Promise<void> {
    for (const kind of SEALED_KINDS)
      await rotateSeals(ctx, ctx.accounts, { seals: { kind, workspaceId: workspace, rowKey: "" } });
  }
  await rotate(ctx);
  expect(await countSealed("test", workspace)).toEqual({});
  expect(await countSealed("next", workspace)).toEqual(sealed);
  // One row in each of five tables.
  expect(await countAsInDocs()).toBeLessThanOrEqual(before - 5);

  // Without the old key, all values can still be unsealed.
  const alone = compose({ ...testEnv, SEAL_KEYS: JSON.stringify({ next: btoa("n".repeat(32)) }) }, () => {});
  const row = await testEnv.DB.prepare("SELECT * FROM webhooks WHERE id = ?").bind(webhook).first();
  const secrets = await openWebhookSecrets(
    alone.seal,
    {
      workspaceId: workspace,
      id: webhook,
      secret: String(row?.secret),
      previousSecrets: JSON.parse(String(row?.previous_secrets)),
    },
    Date.now(),
  );
  expect(secrets).toHaveLength(2);
  const unseal = async (purpose: "publish-key" | "oauth-transaction", query: string, row: string) =>
    alone.seal?.unseal(String(await testEnv.DB.prepare(query).bind(row).first("held")), { purpose, workspace, row });
  const selectFollowUpKey =
    "SELECT f.publish_key AS held FROM follow_ups f JOIN deliveries d USING (workspace_id, post_id, channel_id)";
  for (const query of [
    "SELECT publish_key AS held FROM deliveries WHERE id = ?",
    `${selectFollowUpKey} WHERE kind = 'first_comment' AND d.id = ?`,
    `${selectFollowUpKey} WHERE kind = 'playlist' AND d.id = ?`,
  ])
    expect(await unseal("publish-key", query, delivery)).toBe("made on the way");
  expect(await unseal("oauth-transaction", "SELECT granted AS held FROM connect_links WHERE id = ?", link)).toBe(
    "made on the way",
  );

  // The change back to the old key is a rotation, too.
  await rotate(oldCtx);
  expect((await call("GET", `/v1/workspaces/${workspace}/key`, { token: session })).body).toMatchObject({
    key: workspaceKey,
  });
  const { id } = await post(workspaceKey, { text: "still connected", channels: [channel.id] });
  expect((await finished(workspaceKey, id)).status).toBe("published");
});

it("reads no row while there is only one key", async () => {
  const ctx = compose(testEnv, () => {});
  const places = {};
  await rotateSeals(ctx, ctx.accounts, places);
  expect(places).toEqual({ seals: null });
});

it("stores no upload secret in plain text, neither during the upload nor afterwards", async () => {
  const account = await signUp();
  const { workspace } = account;
  const channel = await connect(account.key, "youtube");
  const video = await uploadVideo(account, (9 * 1024 * 1024) / CHUNKS_DIVISOR);
  await fault({ platform: "youtube", account: channel.handle, call: "upload.part", do: "reset_after_accept" });
  const overrides = { [channel.id]: { title: "secret", made_for_kids: false } };
  const { id } = await post(account.key, { media: [video.id], channels: [channel.id], overrides });
  const dumpDatabase = async () => {
    const tables = await testEnv.DB.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all<{
      name: string;
    }>();
    const names = tables.results
      .map(({ name }) => name)
      .filter((name) => !name.startsWith("_") && !name.includes("sqlite"));
    const rows = await Promise.all(names.map((name) => testEnv.DB.prepare(`SELECT * FROM ${name}`).raw()));
    return JSON.stringify(rows);
  };
  const getPublishKey = async () =>
    (await testEnv.DB.prepare("SELECT id, publish_key FROM deliveries WHERE post_id = ?").bind(id).all()).results[0] ??
    {};

  await eventually(async () => expect((await getPost(account.key, id)).deliveries[0]?.status).toBe("retrying"));
  const dumpDuring = await dumpDatabase();
  expect(dumpDuring).toContain(id);
  expect(dumpDuring).not.toContain("upload_id");
  const { id: row, publish_key: sealed } = await getPublishKey();
  const { seal } = compose(testEnv, () => {});
  const opened = await seal?.unseal(String(sealed), { purpose: "publish-key", workspace, row: String(row) });
  expect(opened).toContain("upload_id");
  expect(await seal?.unseal(String(sealed), { purpose: "publish-key", workspace, row: "another" })).toBeNull();

  await age(id, 60_000);
  await publishNow(workspace, channel.id);
  expect((await finished(account.key, id)).status).toBe("published");
  expect(await dumpDatabase()).not.toContain("upload_id");
});

it("makes a delivery wait if its publish key cannot be unsealed, and starts nothing in its place", async () => {
  const account = await signUp();
  const channel = await connect(account.key, "youtube");
  const video = await uploadVideo(account, 100_000);
  await fault({ platform: "youtube", account: channel.handle, call: "upload.status", do: "reset_before" });
  const overrides = { [channel.id]: { title: "waits", made_for_kids: false } };
  const { id } = await post(account.key, { media: [video.id], channels: [channel.id], overrides });
  const waitForHint = async (reason: string) =>
    eventually(async () => {
      const { deliveries } = await getPost(account.key, id);
      expect(deliveries[0]).toMatchObject({ status: "retrying", hint: expect.stringContaining(reason) });
    });
  await waitForHint("connection was lost");
  await testEnv.DB.prepare("UPDATE deliveries SET publish_key = 'v1.gone.x.y' WHERE post_id = ?").bind(id).run();
  await age(id, 60_000);
  await publishNow(account.workspace, channel.id);
  await waitForHint("stored publish key cannot be unsealed");
  expect(await ledger(channel.handle)).toEqual([]);
});
