// An import that is repeated with its idempotency key creates nothing twice.
import { describe, expect, it } from "vitest";
import { HOUR_MS } from "../../../../../src/domain/limits.ts";
import { NOW } from "../../../store/deliveries/stored-delivery.ts";
import { catchRefusal } from "../workspace-of-two.ts";
import { setUpImport } from "./importing.ts";

const _LATER = new Date(NOW + HOUR_MS).toISOString();

const DRY = { query: { dry_run: "true" } };
const PARTIAL = { query: { partial: "true" } };

describe("an import that is repeated with its idempotency key", () => {
  const file = (count: number, bothChannels: string) => [
    "text,channels",
    ...Array.from({ length: count }, (_, i) => `post ${i},${bothChannels}`),
  ];

  it("a repeated import creates nothing, and returns the existing posts", async () => {
    const { csv, bothChannels, readPosts } = await setUpImport();
    const first = await csv(file(2, bothChannels), { key: "one" });
    const again = await csv(file(2, bothChannels), { key: "one" });
    expect(again).toMatchObject({ status: 200, replayed: true, body: { valid: 2, created: 2 } });
    expect(again.rows.map(({ post }) => post?.id)).toEqual(first.rows.map(({ post }) => post?.id));
    expect(first).toMatchObject({ replayed: false });
    expect(await readPosts()).toHaveLength(2);
  });

  it("a repeated import creates the missing posts", async () => {
    const { csv, bothChannels, readPosts } = await setUpImport();
    await csv([...file(1, bothChannels), "b,nowhere"], { key: "one", ...PARTIAL });
    const again = await csv([...file(1, bothChannels), `b,${bothChannels}`], { key: "one" });
    expect(again).toMatchObject({ replayed: false, body: { valid: 2, created: 2 } });
    expect(await readPosts()).toHaveLength(2);
  });

  it("other rows under the same idempotency key are refused, and accepted under another key", async () => {
    const { csv, bothChannels, readPosts } = await setUpImport();
    await csv(file(1, bothChannels), { key: "one" });
    const refused = await catchRefusal(csv(["text,channels", `other,${bothChannels}`], { key: "one" }));
    expect([refused.code, refused.detail.field]).toEqual(["idempotency_key_reused", "Idempotency-Key"]);
    for (const key of ["on", "one more"]) {
      expect((await csv(file(1, bothChannels), { key: key.replace(" ", "-") })).body).toMatchObject({ created: 1 });
    }
    expect(await readPosts()).toHaveLength(3);
  });

  it("a dry run ignores the idempotency key", async () => {
    const { csv, bothChannels } = await setUpImport();
    await csv(file(1, bothChannels), { key: "one" });
    const dry = await csv(["text,channels", `other,${bothChannels}`], { key: "one", ...DRY });
    expect(dry).toMatchObject({ replayed: false, body: { valid: 1, created: 0 } });
  });

  it("a repeated import by a key that may not use the channels returns no posts", async () => {
    const { csv, bothChannels, first } = await setUpImport();
    await csv(file(1, bothChannels), { key: "one" });
    const again = await csv(file(1, bothChannels), { key: "one", reach: [first] });
    expect(again.body).toMatchObject({ created: 0, rows: [{ valid: true, post: null }] });
  });
});
