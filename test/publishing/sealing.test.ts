import { describe, expect, it } from "vitest";
import { createSeal } from "../../src/adapters/seal.ts";
import { compose } from "../../src/compose.ts";
import { resealPage } from "../../src/publishing/reseal.ts";
import { testEnv } from "../support/env.ts";
import { call, connect, finished, post, signUp } from "../support/world.ts";

const key = (fill: number) => new Uint8Array(32).fill(fill);
const place = { purpose: "channel-credential", workspace: "ws_1", row: "ch_1" } as const;

describe("a sealed value", () => {
  const seal = createSeal(new Map([["a", key(1)]]), "a");

  it("opens in its own place", async () => {
    const sealed = await seal.close("secret ü", place);
    expect(sealed).toMatch(/^v1\.a\.[\w-]{16}\.[\w-]+$/);
    expect(sealed).not.toContain("secret");
    expect(await seal.open(sealed, place)).toBe("secret ü");
    expect(await seal.close("secret ü", place)).not.toBe(sealed);
  });

  it("opens nowhere else, nor changed in any character, nor under another key", async () => {
    const sealed = await seal.close("secret", place);
    expect(await seal.open(sealed, { ...place, row: "ch_2" })).toBeNull();
    expect(await seal.open(sealed, { ...place, workspace: "ws_2" })).toBeNull();
    expect(await seal.open(sealed, { ...place, purpose: "workspace-key" })).toBeNull();
    expect(await createSeal(new Map([["a", key(2)]]), "a").open(sealed, place)).toBeNull();
    expect(await createSeal(new Map([["b", key(1)]]), "b").open(sealed, place)).toBeNull();
    for (let i = 0; i < sealed.length - 1; i++) {
      const flipped = sealed.slice(0, i) + (sealed[i] === "A" ? "B" : "A") + sealed.slice(i + 1);
      expect(await seal.open(flipped, place), String(i)).toBeNull();
    }
    for (const nonsense of ["", "v1", "v1.a.x.y", "v2.a.b.c", "a.b.c.d.e"])
      expect(await seal.open(nonsense, place)).toBeNull();
  });
});

it("a new key takes over: everything is sealed anew, and the old key may go", async () => {
  const { key: workspaceKey, session, workspace } = await signUp();
  const channel = await connect(workspaceKey, "bluesky");
  const old: Record<string, string> = JSON.parse(testEnv.SEAL_KEYS ?? "{}");
  const both = JSON.stringify({ ...old, next: btoa("n".repeat(32)) });
  const ctx = compose({ ...testEnv, SEAL_KEYS: both }, () => {});
  let cursor: Awaited<ReturnType<typeof resealPage>> = null;
  do cursor = await resealPage(ctx, cursor);
  while (cursor?.kind !== "channel-credential" || cursor.workspaceId !== "");

  const sealed = await testEnv.DB.prepare(
    "SELECT credential AS sealed FROM channels WHERE credential IS NOT NULL UNION ALL SELECT sealed FROM workspace_keys WHERE sealed IS NOT NULL",
  ).all<{ sealed: string }>();
  expect(sealed.results.length).toBeGreaterThanOrEqual(2);
  for (const row of sealed.results) expect(row.sealed).toMatch(/^v1\.next\./);

  // Back again, so that the other tests of this run find their key; this is a rotation too.
  const back = compose({ ...testEnv, SEAL_KEYS: JSON.stringify({ next: btoa("n".repeat(32)), ...old }) }, () => {});
  cursor = null;
  do cursor = await resealPage(back, cursor);
  while (cursor?.kind !== "channel-credential" || cursor.workspaceId !== "");
  expect((await call("GET", `/v1/workspaces/${workspace}/key`, { token: session })).body).toMatchObject({
    key: workspaceKey,
  });
  const { id } = await post(workspaceKey, { text: "still connected", channels: [channel.id] });
  expect((await finished(workspaceKey, id)).status).toBe("published");
});

it("nothing is walked through while there is one key", async () => {
  expect(
    await resealPage(
      compose(testEnv, () => {}),
      null,
    ),
  ).toBeNull();
});
