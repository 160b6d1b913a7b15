import { describe, expect, it } from "vitest";
import { createSeal } from "../../src/adapters/seal.ts";
import { compose } from "../../src/compose.ts";
import type { Context } from "../../src/context.ts";
import { type RotationPlace, rotateSeals } from "../../src/maintenance/rotate-seals.ts";
import { testEnv } from "../support/env.ts";
import { eventually } from "../support/eventually.ts";
import { age } from "../support/lanes.ts";
import { publishNow } from "../support/machine.ts";
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

it("a new key takes over: everything is sealed anew, and the old key may go", async () => {
  const { key: workspaceKey, session, workspace } = await signUp();
  const channel = await connect(workspaceKey, "bluesky");
  await finished(workspaceKey, (await post(workspaceKey, { text: "before", channels: [channel.id] })).id);
  const old: Record<string, string> = JSON.parse(testEnv.SEAL_KEYS ?? "{}");
  const both = JSON.stringify({ ...old, next: btoa("n".repeat(32)) });
  const ctx = compose({ ...testEnv, SEAL_KEYS: both }, () => {});
  /** Once through everything. */
  async function rotate(ctx: Context): Promise<void> {
    const places: { seals?: RotationPlace | null } = {};
    do await rotateSeals(ctx, ctx.accounts, places);
    while (places.seals?.kind !== "channel-credential" || places.seals.workspaceId !== "");
  }
  await rotate(ctx);

  // Rows of other tests may hold what nobody has sealed.
  const sealed = await testEnv.DB.prepare(
    `SELECT credential AS sealed FROM channels WHERE workspace_id = ?1 AND credential IS NOT NULL
      UNION ALL SELECT sealed FROM workspace_keys WHERE workspace_id = ?1 AND sealed IS NOT NULL`,
  )
    .bind(workspace)
    .all<{ sealed: string }>();
  expect(sealed.results).toHaveLength(2);
  for (const row of sealed.results) expect(row.sealed).toMatch(/^v1\.next\./);

  // Back again, so that the other tests of this run find their key; this is a rotation too.
  const back = compose({ ...testEnv, SEAL_KEYS: JSON.stringify({ next: btoa("n".repeat(32)), ...old }) }, () => {});
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

it("what lets somebody go on with an upload stands nowhere in the database in clear, neither on the way nor afterwards", async () => {
  const account = await signUp();
  const { workspace } = account;
  const channel = await connect(account.key, "youtube");
  const video = await uploadVideo(account, 9 * 1024 * 1024);
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
    (await testEnv.DB.prepare("SELECT id, publish_handle FROM deliveries WHERE post_id = ?").bind(id).all())
      .results[0] ?? {};

  await eventually(async () => expect((await getPost(account.key, id)).deliveries[0]?.status).toBe("retrying"));
  const half = await stored();
  expect(half).toContain(id);
  expect(half).not.toContain("upload_id");
  const { id: row, publish_handle: sealed } = await handleOf();
  const { seal } = compose(testEnv, () => {});
  const opened = await seal?.unseal(String(sealed), { purpose: "publish-handle", workspace, row: String(row) });
  expect(opened).toContain("upload_id");
  expect(await seal?.unseal(String(sealed), { purpose: "publish-handle", workspace, row: "another" })).toBeNull();

  await age(id, 60_000);
  await publishNow(workspace, channel.id);
  expect((await finished(account.key, id)).status).toBe("published");
  expect(await stored()).not.toContain("upload_id");
});

it("a delivery whose publish handle cannot be unsealed waits, and nothing is begun in its place", async () => {
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
  await waiting("connection broke");
  await testEnv.DB.prepare("UPDATE deliveries SET publish_handle = 'v1.gone.x.y' WHERE post_id = ?").bind(id).run();
  await age(id, 60_000);
  await publishNow(account.workspace, channel.id);
  await waiting("stored publish handle cannot be unsealed");
  expect(await ledger(channel.handle)).toEqual([]);
});
