// Posts of a file: what is written of its rows and what is said of each, what a repeat makes, and what plans and keys allow.
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { HOUR_MS, VIOLATIONS_MAX } from "../../../../../src/domain/limits.ts";
import { getPlan } from "../../../../../src/domain/plan.ts";
import { usageMonths, workspaces } from "../../../../../src/store/db/schema.ts";
import { db, NOW } from "../../../store/deliveries/stored-delivery.ts";
import { refusal } from "../workspace-of-two.ts";
import { importing } from "./importing.ts";

const LATER = new Date(NOW + HOUR_MS).toISOString();
const { drafts: draftsMax, posts_per_month: postsMax } = getPlan("free");

const DRY = { query: { dry_run: "true" } };
const PARTIAL = { query: { partial: "true" } };

describe("an import", () => {
  it("makes a post of each row, wakes the publishers at the first of their times, and says what it made", async () => {
    const { csv, both, first, readInOrder, readDeliveries, armed, jobs } = await importing();
    const sooner = new Date(NOW + HOUR_MS / 2).toISOString();
    const { status, body, rows, replayed } = await csv([
      "text,channels,publish_at,labels,external_id",
      `a,${both},${LATER},x|y,A-1`,
      `b,${first},${sooner},,`,
      `c,${first},${LATER},,`,
    ]);
    expect([status, replayed, body.valid, body.invalid, body.created]).toEqual([200, false, 3, 0, 3]);
    expect(rows).toMatchObject([
      { line: 2, external_id: "A-1", valid: true, violations: [], post: { text: "a", labels: ["x", "y"] } },
      { line: 3, external_id: null, valid: true, violations: [], post: { text: "b", publish_at: sooner } },
      { line: 4, post: { text: "c", status: "scheduled" } },
    ]);
    expect(await readInOrder()).toMatchObject([
      { text: "a", status: "scheduled", dueAt: NOW + HOUR_MS, metadata: { external_id: "A-1" }, idempotencyKey: null },
      { text: "b", dueAt: NOW + HOUR_MS / 2 },
      { text: "c", dueAt: NOW + HOUR_MS },
    ]);
    expect(await readDeliveries()).toHaveLength(4);
    expect(armed).toEqual([
      { lane: 0, at: NOW + HOUR_MS / 2 },
      { lane: 1, at: NOW + HOUR_MS },
    ]);
    expect(jobs).toEqual([]);
  });

  it("of lines of JSON finds files and channels by what the file says of them, and registers each file once", async () => {
    const { json, first, readInOrder, readFiles } = await importing();
    const file = (id: string, more: object = {}) => ({
      type: "media",
      id,
      url: `https://files.example/${id}.jpg`,
      kind: "image",
      alt: "a cat",
      ...more,
    });
    const post = { type: "post", channels: ["ch_there"], status: "draft" };
    const { rows } = await json([
      { type: "channel", id: "ch_there", platform: "telegram", handle: `@${first}` },
      file("med_a"),
      file("med_b", { kind: "video", alt: " " }),
      { ...post, text: "a", media: ["med_a"] },
      { ...post, text: "b", media: ["med_b", "med_a"], overrides: { ch_there: { text: "own", media: ["med_a"] } } },
    ]);
    expect(rows.flatMap(({ violations }) => violations)).toEqual([]);
    const [a, b] = await readFiles();
    expect([a, b]).toMatchObject([
      { url: "https://files.example/med_a.jpg", kind: "image", alt: "a cat", state: "registered", createdAt: NOW },
      { url: "https://files.example/med_b.jpg", kind: "video", alt: null },
    ]);
    expect(await readInOrder()).toMatchObject([
      { channels: [first], media: [a?.id] },
      { channels: [first], media: [b?.id, a?.id], overrides: { [first]: { text: "own", media: [a?.id] } } },
    ]);
  });

  it("in a dry run says what it would make, and makes nothing", async () => {
    const { csv, both, readPosts, readFiles, armed } = await importing();
    const file = ["text,channels,media_urls", `a,${both},https://files.example/a.jpg`];
    expect((await csv(file, DRY)).body).toMatchObject({ valid: 1, created: 0, rows: [{ valid: true, post: null }] });
    expect([await readPosts(), await readFiles(), armed]).toEqual([[], [], []]);
    expect((await csv(file)).body).toMatchObject({ created: 1 });
  });

  it("with one wrong row makes nothing, unless it is asked for those that are right", async () => {
    const { csv, both, readPosts } = await importing();
    const file = ["text,channels", `a,${both}`, "b,nowhere", `c,${both}`];
    const whole = await csv(file);
    expect(whole.body).toMatchObject({ valid: 2, invalid: 1, created: 0 });
    expect(whole.rows).toMatchObject([
      { valid: true, post: null },
      { valid: false, violations: [{ code: "unknown_channel", field: "/channels/0", column: "channels" }], post: null },
      { valid: true, post: null },
    ]);
    expect(whole.rows[1]?.violations).toHaveLength(1);
    expect(await readPosts()).toEqual([]);
    const partial = await csv(file, PARTIAL);
    expect(partial.body).toMatchObject({ valid: 2, invalid: 1, created: 2 });
    expect((await readPosts()).map(({ text }) => text).toSorted()).toEqual(["a", "c"]);
  });

  it("says of a row no more than a refusal may, and names columns of spreadsheets alone", async () => {
    const { json } = await importing();
    const overrides = Object.fromEntries(Array.from({ length: VIOLATIONS_MAX }, (_, i) => [`n${i}`, {}]));
    const { rows } = await json([{ text: 7, channels: [], overrides }]);
    expect(rows[0]?.violations).toHaveLength(VIOLATIONS_MAX);
    const { rows: lines } = await json([{ text: "a", channels: ["nowhere"] }]);
    expect(lines[0]?.violations).toMatchObject([{ code: "unknown_channel" }]);
    expect(lines[0]?.violations[0]).not.toHaveProperty("column");
  });

  it("of no rows is answered to whoever may write", async () => {
    const { csv } = await importing();
    expect((await csv(["text"])).body).toEqual({ rows: [], valid: 0, invalid: 0, created: 0 });
    expect((await csv(["text"], { scopes: ["draft"] })).replayed).toBe(false);
    expect(await refusal(csv(["text"], { scopes: ["read"] }))).toMatchObject({ code: "scope_missing" });
  });

  it("counts against the limits of imports and of files, each file once", async () => {
    const { csv, both, taken } = await importing();
    const [a, b] = ["https://files.example/a.jpg", "https://files.example/b.jpg"];
    const file = ["text,channels,media_urls", `a,${both},${a}`, `b,${both},${a}|${b}`, `c,${both},`];
    await csv(file, DRY);
    expect(taken).toEqual([["import_caller", 1]]);
    await csv(["text,channels", `d,${both}`]);
    expect(taken).toHaveLength(2);
    await csv(file);
    expect(taken.slice(2)).toEqual([
      ["import_caller", 1],
      ["media_workspace", 3],
    ]);
  });
});

describe("the rights and the room of an import", () => {
  it("is drafts for a key that may draft, and scheduled posts for one that may publish", async () => {
    const { csv, both, readPosts } = await importing();
    const [draft, scheduled] = [
      ["text,channels,draft", `a,${both},true`],
      ["text,channels", `b,${both}`],
    ];
    expect(await refusal(csv(scheduled, { scopes: ["draft"] }))).toMatchObject({ code: "scope_missing" });
    expect(await refusal(csv(draft, { scopes: ["publish"] }))).toMatchObject({ code: "scope_missing" });
    expect(await readPosts()).toEqual([]);
    const mixed = ["text,channels,draft", `a,${both},true`, `b,${both},`];
    for (const scopes of [["draft"], ["publish"]])
      expect(await refusal(csv(mixed, { scopes }))).toMatchObject({ code: "scope_missing" });
    expect((await csv(draft, { scopes: ["draft"] })).body).toMatchObject({ created: 1 });
    expect((await csv(scheduled, { scopes: ["publish"] })).body).toMatchObject({ created: 1 });
  });

  it("waits where the workspace asks for approval, and members are told of it once", async () => {
    const { csv, both, readPosts, readDeliveries, jobs, workspaceId, armed } = await importing({
      workspace: { approval: "all" },
    });
    const { rows } = await csv(["text,channels,draft", `a,${both},`, `b,${both},`, `c,${both},true`]);
    expect(rows.map(({ post }) => post?.status)).toEqual(["awaiting_approval", "awaiting_approval", "draft"]);
    expect(await readPosts()).toHaveLength(3);
    expect([await readDeliveries(), armed]).toEqual([[], []]);
    expect(jobs).toEqual([{ kind: "notify", workspace: workspaceId }]);
  });

  it("is shown to nobody beyond the reach of its channels", async () => {
    const { csv, first, second, readPosts } = await importing();
    const named = await csv(["text,channels", "a,telegram"], { reach: [first], ...DRY });
    expect(named.rows).toMatchObject([{ valid: true }]);
    const { rows } = await csv(["text,channels", `a,${second}`], { reach: [first] });
    expect(rows).toMatchObject([{ valid: false, violations: [{ code: "unknown_channel" }], post: null }]);
    expect(await readPosts()).toEqual([]);
  });

  it("has room in the month of its plan, to the last post", async () => {
    const { csv, both, readPosts } = await importing({ workspace: { plan: "free" } });
    const rows = (count: number) => Array.from({ length: count }, (_, i) => `post ${i},${both}`);
    const over = await refusal(csv(["text,channels", ...rows((postsMax ?? 0) + 1)], PARTIAL));
    expect(over.detail.extra).toMatchObject({ limit: "posts_per_month", used: 0, allowed: postsMax });
    expect(await readPosts()).toEqual([]);
    expect((await csv(["text,channels", ...rows(postsMax ?? 0)])).body).toMatchObject({ created: postsMax });
    const full = await refusal(csv(["text,channels", `one more,${both}`]));
    expect(full.detail.extra).toMatchObject({ limit: "posts_per_month", used: postsMax });
    expect((await csv(["text,channels,draft", `draft,${both},true`])).body).toMatchObject({ created: 1 });
  });

  it("has room for drafts beside the last posts of the month, and when the month is overdrawn", async () => {
    const { csv, both, workspaceId } = await importing({ workspace: { plan: "free" } });
    const rows = Array.from({ length: postsMax ?? 0 }, (_, i) => `post ${i},${both},`);
    const drafts = [`c,${both},true`, `d,${both},true`];
    const whole = await csv(["text,channels,draft", ...rows, ...drafts]);
    expect(whole.body).toMatchObject({ created: (postsMax ?? 0) + 2 });
    await db
      .update(usageMonths)
      .set({ posts: 2 * (postsMax ?? 0) })
      .where(eq(usageMonths.workspaceId, workspaceId));
    expect((await csv(["text,channels,draft", ...drafts])).body).toMatchObject({ created: 2 });
  });

  it("has room among the drafts of its plan, to the last one, which scheduled posts do not take", async () => {
    const free = { workspace: { plan: "free", drafts: (draftsMax ?? 0) - 1, draftBytes: 9 } };
    const { csv, both, readPosts, workspaceId } = await importing(free);
    const file = (...drafts: string[]) => ["text,channels,draft", ...drafts.map((draft, i) => `${i},${both},${draft}`)];
    expect((await refusal(csv(file("true", "true")))).detail.extra).toMatchObject({ limit: "drafts" });
    expect(await readPosts()).toEqual([]);
    expect((await csv(file("true", "false"))).body).toMatchObject({ created: 2 });
    const [row] = await db.select().from(workspaces).where(eq(workspaces.id, workspaceId));
    expect(row?.drafts).toBe(draftsMax);
    expect(row?.draftBytes).toBeGreaterThan(9);
    expect((await refusal(csv(file("true")))).detail.extra).toMatchObject({ limit: "drafts" });
    expect((await csv(file("false"))).body).toMatchObject({ created: 1 });
  });

  it("has room in the bytes of its drafts, all of them together", async () => {
    const { draft_bytes: bytesMax } = getPlan("free");
    const { csv, both } = await importing({
      workspace: { plan: "free", drafts: 1, draftBytes: (bytesMax ?? 0) - 1_500 },
    });
    const text = "x".repeat(1_000);
    const file = (count: number) => [
      "text,channels,draft",
      ...Array.from({ length: count }, () => `${text},${both},true`),
    ];
    expect((await refusal(csv(file(2)))).detail.extra).toMatchObject({ limit: "draft_bytes" });
    expect((await csv(file(1))).body).toMatchObject({ created: 1 });
  });

  it("has room in the budgets of the workspace and of the key, all of it together", async () => {
    const onX = { channel: { platform: "x" } };
    const { create, csv, first } = await importing(onX);
    const { body } = await create({ dry_run: true, channels: [first], publish_at: LATER });
    const [delivery] = Object(body.deliveries);
    const cost = Math.round(delivery.estimated_cost_usd * 1_000_000);
    expect(cost).toBeGreaterThan(0);
    const file = (count: number) => [
      "text,channels,publish_at",
      ...Array.from({ length: count }, (_, i) => `hell${i},${first},${LATER}`),
    ];
    const small = await importing({ ...onX, workspace: { budget: cost } });
    const own = (count: number) => file(count).map((line) => line.replaceAll(first, small.first));
    const over = await refusal(small.csv(own(2)));
    expect(over.detail.extra).toMatchObject({ limit: "budget", budget_of: "workspace", used: 0 });
    expect((await small.csv(own(1))).body).toMatchObject({ created: 1 });
    expect((await small.csv(["text,channels,draft", `c,${small.first},true`])).body).toMatchObject({ created: 1 });
    expect((await csv(file(2))).body).toMatchObject({ created: 2 });
  });
});

describe("an import that is sent again with its key", () => {
  const file = (count: number, both: string) => [
    "text,channels",
    ...Array.from({ length: count }, (_, i) => `post ${i},${both}`),
  ];

  it("makes nothing twice, and is answered with the posts that there are", async () => {
    const { csv, both, readPosts } = await importing();
    const first = await csv(file(2, both), { key: "one" });
    const again = await csv(file(2, both), { key: "one" });
    expect(again).toMatchObject({ status: 200, replayed: true, body: { valid: 2, created: 2 } });
    expect(again.rows.map(({ post }) => post?.id)).toEqual(first.rows.map(({ post }) => post?.id));
    expect(first).toMatchObject({ replayed: false });
    expect(await readPosts()).toHaveLength(2);
  });

  it("makes what is missing", async () => {
    const { csv, both, readPosts } = await importing();
    await csv([...file(1, both), "b,nowhere"], { key: "one", ...PARTIAL });
    const again = await csv([...file(1, both), `b,${both}`], { key: "one" });
    expect(again).toMatchObject({ replayed: false, body: { valid: 2, created: 2 } });
    expect(await readPosts()).toHaveLength(2);
  });

  it("is refused with other rows under the same key, and another key is another import", async () => {
    const { csv, both, readPosts } = await importing();
    await csv(file(1, both), { key: "one" });
    const other = await refusal(csv(["text,channels", `other,${both}`], { key: "one" }));
    expect([other.code, other.detail.field]).toEqual(["idempotency_key_reused", "Idempotency-Key"]);
    for (const key of ["on", "one more"]) {
      expect((await csv(file(1, both), { key: key.replace(" ", "-") })).body).toMatchObject({ created: 1 });
    }
    expect(await readPosts()).toHaveLength(3);
  });

  it("takes a key in a dry run for none", async () => {
    const { csv, both } = await importing();
    await csv(file(1, both), { key: "one" });
    const dry = await csv(["text,channels", `other,${both}`], { key: "one", ...DRY });
    expect(dry).toMatchObject({ replayed: false, body: { valid: 1, created: 0 } });
  });

  it("shows no post to a key that does not reach its channels", async () => {
    const { csv, both, first } = await importing();
    await csv(file(1, both), { key: "one" });
    const again = await csv(file(1, both), { key: "one", reach: [first] });
    expect(again.body).toMatchObject({ created: 0, rows: [{ valid: true, post: null }] });
  });
});
