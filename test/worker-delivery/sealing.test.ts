import { describe, expect, it } from "vitest";
import operations from "../../docs/operations.md?raw";
import { createSeal } from "../../src/adapters/seal.ts";
import { openWebhookSecrets } from "../../src/adapters/webhook-secrets.ts";
import { compose } from "../../src/compose.ts";
import type { Context } from "../../src/context.ts";
import { type RotationPlace, rotateSeals } from "../../src/maintenance/rotate-seals.ts";
import { SEALED_KINDS } from "../../src/store/sealed.ts";
import { testEnv } from "../support/env.ts";
import { eventually } from "../support/eventually.ts";
import { age } from "../support/lanes.ts";
import { publishNow } from "../support/machine.ts";
import { PARTS_DIVISOR } from "../support/small-parts.ts";
import { call, connect, fault, finished, getPost, ledger, post, signUp, uploadVideo } from "../support/world.ts";

const key = (fill: number) => new Uint8Array(32).fill(fill);
const place = { purpose: "channel-credential", workspace: "ws_1", row: "ch_1" } as const;

describe("a sealed value", () => {
  const seal = createSeal(new Map([["a", key(1)]]), "a");

  it("opens in its own place", async () => {
    const sealed = await seal.seal("secret ü", place);
    expect(sealed).toMatch(/^v1\.a\.[\w-]{16}\.[\w-]+$/);
    expect(sealed).not.toContain("secret");
    expect(await seal.unseal(sealed, place)).toBe("secret ü");
    expect(await seal.seal("secret ü", place)).not.toBe(sealed);
  });

  it("opens nowhere else, nor changed in any character, nor under another key", async () => {
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

/** A workspace with something sealed in every column that ever holds such. */
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
  const sealed = (purpose: "publish-key" | "oauth-transaction", row: string) =>
    seal?.seal("made on the way", { purpose, workspace, row });
  await testEnv.DB.prepare("UPDATE deliveries SET publish_key = ?1 WHERE id = ?2")
    .bind(await sealed("publish-key", delivery), delivery)
    .run();
  await testEnv.DB.prepare(
    `INSERT INTO follow_ups (workspace_id, post_id, channel_id, kind, state, publish_key)
      SELECT workspace_id, post_id, channel_id, kind.value, 'due', ?1 FROM deliveries, json_each('["playlist", "first_comment"]') AS kind WHERE deliveries.id = ?2`,
  )
    .bind(await sealed("publish-key", delivery), delivery)
    .run();
  await testEnv.DB.prepare("UPDATE connect_links SET granted = ?1 WHERE id = ?2")
    .bind(await sealed("oauth-transaction", link), link)
    .run();
  return { workspaceKey, workspace, session, channel, webhook: webhook.id, link, delivery };
}

/** Every column of the workspace's rows with something in it that the key has sealed, and how much that is. */
async function sealedBy(kid: string, workspace: string): Promise<Record<string, number>> {
  const columns = await testEnv.DB.prepare(
    `SELECT m.name AS name, c.name AS col FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type = 'table'
      AND m.name NOT LIKE '\\_%' ESCAPE '\\' AND EXISTS (SELECT 1 FROM pragma_table_info(m.name) w WHERE w.name = 'workspace_id')`,
  ).all<{ name: string; col: string }>();
  const found: Record<string, number> = {};
  for (const { name, col } of columns.results) {
    const rows = await testEnv.DB.prepare(`SELECT ${col} AS held FROM ${name} WHERE workspace_id = ? AND ${col} LIKE ?`)
      .bind(workspace, `%v1.${kid}.%`)
      .all<{ held: string }>();
    if (rows.results.length > 0) found[`${name}.${col}`] = rows.results.length;
  }
  return found;
}

/** What docs/operations.md counts that the key `test` has sealed. */
async function countedInDocs(): Promise<number> {
  const query = /--command "(SELECT\n[^"]*v1\.OLD[^"]*)"/.exec(operations)?.[1];
  if (query === undefined) throw new Error("docs/operations.md counts nothing");
  const [count] = Object.values((await testEnv.DB.prepare(query.replaceAll("OLD", "test")).first()) ?? {});
  return Number(count);
}

it("a new key takes over: everything is sealed anew wherever it stands, and the old key may go", async () => {
  const { workspaceKey, workspace, session, channel, webhook, link, delivery } = await sealEverything();
  const sealed = await sealedBy("test", workspace);
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
  const before = await countedInDocs();

  const old: Record<string, string> = JSON.parse(testEnv.SEAL_KEYS ?? "{}");
  const both = JSON.stringify({ ...old, next: btoa("n".repeat(32)) });
  const ctx = compose({ ...testEnv, SEAL_KEYS: both }, () => {});
  const back = compose({ ...testEnv, SEAL_KEYS: JSON.stringify({ next: btoa("n".repeat(32)), ...old }) }, () => {});
  // Once through everything, by the key that all of it has: nothing changes.
  const places: { seals?: RotationPlace | null } = {};
  do await rotateSeals(back, back.accounts, places);
  while (places.seals?.kind !== "channel-credential" || places.seals.workspaceId !== "");
  expect(await sealedBy("test", workspace)).toEqual(sealed);

  /** From this workspace on, which is the newest: what other tests have left stays as it is. */
  async function rotate(ctx: Context): Promise<void> {
    for (const kind of SEALED_KINDS)
      await rotateSeals(ctx, ctx.accounts, { seals: { kind, workspaceId: workspace, place: "" } });
  }
  await rotate(ctx);
  expect(await sealedBy("test", workspace)).toEqual({});
  expect(await sealedBy("next", workspace)).toEqual(sealed);
  // A row each of five tables.
  expect(await countedInDocs()).toBeLessThanOrEqual(before - 5);

  // With the old key gone, all of it opens.
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
  const open = async (purpose: "publish-key" | "oauth-transaction", query: string, row: string) =>
    alone.seal?.unseal(String(await testEnv.DB.prepare(query).bind(row).first("held")), { purpose, workspace, row });
  const ofWork =
    "SELECT f.publish_key AS held FROM follow_ups f JOIN deliveries d USING (workspace_id, post_id, channel_id)";
  for (const query of [
    "SELECT publish_key AS held FROM deliveries WHERE id = ?",
    `${ofWork} WHERE kind = 'first_comment' AND d.id = ?`,
    `${ofWork} WHERE kind = 'playlist' AND d.id = ?`,
  ])
    expect(await open("publish-key", query, delivery)).toBe("made on the way");
  expect(await open("oauth-transaction", "SELECT granted AS held FROM connect_links WHERE id = ?", link)).toBe(
    "made on the way",
  );

  // Back again: this is a rotation too.
  await rotate(back);
  expect((await call("GET", `/v1/workspaces/${workspace}/key`, { token: session })).body).toMatchObject({
    key: workspaceKey,
  });
  const { id } = await post(workspaceKey, { text: "still connected", channels: [channel.id] });
  expect((await finished(workspaceKey, id)).status).toBe("published");
});

it("nothing is walked through while there is one key", async () => {
  const ctx = compose(testEnv, () => {});
  const places = {};
  await rotateSeals(ctx, ctx.accounts, places);
  expect(places).toEqual({ seals: null });
});

it("secrets that continue an upload stand nowhere in the database in clear, neither during it nor afterwards", async () => {
  const account = await signUp();
  const { workspace } = account;
  const channel = await connect(account.key, "youtube");
  const video = await uploadVideo(account, (9 * 1024 * 1024) / PARTS_DIVISOR);
  await fault({ platform: "youtube", account: channel.handle, call: "upload.part", do: "reset_after_accept" });
  const overrides = { [channel.id]: { title: "secret", made_for_kids: false } };
  const { id } = await post(account.key, { media: [video.id], channels: [channel.id], overrides });
  const stored = async () => {
    const tables = await testEnv.DB.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all<{
      name: string;
    }>();
    const names = tables.results
      .map(({ name }) => name)
      .filter((name) => !name.startsWith("_") && !name.includes("sqlite"));
    const rows = await Promise.all(
      names.map(async (name) => (await testEnv.DB.prepare(`SELECT * FROM ${name}`).all()).results),
    );
    return JSON.stringify(rows);
  };
  const handleOf = async () =>
    (await testEnv.DB.prepare("SELECT id, publish_key FROM deliveries WHERE post_id = ?").bind(id).all()).results[0] ??
    {};

  await eventually(async () => expect((await getPost(account.key, id)).deliveries[0]?.status).toBe("retrying"));
  const half = await stored();
  expect(half).toContain(id);
  expect(half).not.toContain("upload_id");
  const { id: row, publish_key: sealed } = await handleOf();
  const { seal } = compose(testEnv, () => {});
  const opened = await seal?.unseal(String(sealed), { purpose: "publish-key", workspace, row: String(row) });
  expect(opened).toContain("upload_id");
  expect(await seal?.unseal(String(sealed), { purpose: "publish-key", workspace, row: "another" })).toBeNull();

  await age(id, 60_000);
  await publishNow(workspace, channel.id);
  expect((await finished(account.key, id)).status).toBe("published");
  expect(await stored()).not.toContain("upload_id");
});

it("a delivery whose publish key cannot be unsealed waits, and nothing is begun in its place", async () => {
  const account = await signUp();
  const channel = await connect(account.key, "youtube");
  const video = await uploadVideo(account, 100_000);
  await fault({ platform: "youtube", account: channel.handle, call: "upload.status", do: "reset_before" });
  const overrides = { [channel.id]: { title: "waits", made_for_kids: false } };
  const { id } = await post(account.key, { media: [video.id], channels: [channel.id], overrides });
  const waiting = async (said: string) =>
    eventually(async () => {
      const { deliveries } = await getPost(account.key, id);
      expect(deliveries[0]).toMatchObject({ status: "retrying", hint: expect.stringContaining(said) });
    });
  await waiting("connection was lost");
  await testEnv.DB.prepare("UPDATE deliveries SET publish_key = 'v1.gone.x.y' WHERE post_id = ?").bind(id).run();
  await age(id, 60_000);
  await publishNow(account.workspace, channel.id);
  await waiting("stored publish key cannot be unsealed");
  expect(await ledger(channel.handle)).toEqual([]);
});
