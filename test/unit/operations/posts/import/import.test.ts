// Imports of posts: the rows that are written, the report of each row, repeats, and the limits of plans and keys.
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { HOUR_MS, VIOLATIONS_MAX } from "../../../../../src/domain/limits.ts";
import { getPlan } from "../../../../../src/domain/plan.ts";
import { usageMonths, workspaces } from "../../../../../src/store/db/schema.ts";
import { db, NOW } from "../../../store/deliveries/stored-delivery.ts";
import { catchRefusal } from "../workspace-of-two.ts";
import { setUpImport } from "./importing.ts";

const LATER = new Date(NOW + HOUR_MS).toISOString();
const { drafts: draftsMax, posts_per_month: postsMax } = getPlan("free");

const DRY = { query: { dry_run: "true" } };
const PARTIAL = { query: { partial: "true" } };

describe("an import", () => {
  it("an import creates a post from each row, wakes the publishers at the earliest time, and returns the posts", async () => {
    const { csv, bothChannels, first, readInOrder, readDeliveries, armed, jobs } = await setUpImport();
    const sooner = new Date(NOW + HOUR_MS / 2).toISOString();
    const { status, body, rows, replayed } = await csv([
      "text,channels,publish_at,labels,external_id",
      `a,${bothChannels},${LATER},x|y,A-1`,
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

  it("an import of JSON lines finds channels and files by their descriptions in the file, and registers each file once", async () => {
    const { json, first, readInOrder, readFiles } = await setUpImport();
    const file = (id: string, fields: object = {}) => ({
      type: "media",
      id,
      url: `https://files.example/${id}.jpg`,
      kind: "image",
      alt: "a cat",
      ...fields,
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

  it("a dry run of an import reports on each row, and creates nothing", async () => {
    const { csv, bothChannels, readPosts, readFiles, armed } = await setUpImport();
    const file = ["text,channels,media_urls", `a,${bothChannels},https://files.example/a.jpg`];
    expect((await csv(file, DRY)).body).toMatchObject({ valid: 1, created: 0, rows: [{ valid: true, post: null }] });
    expect([await readPosts(), await readFiles(), armed]).toEqual([[], [], []]);
    expect((await csv(file)).body).toMatchObject({ created: 1 });
  });

  it("an import with an invalid row creates nothing, unless a partial import is requested", async () => {
    const { csv, bothChannels, readPosts } = await setUpImport();
    const file = ["text,channels", `a,${bothChannels}`, "b,nowhere", `c,${bothChannels}`];
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

  it("the report of a row has a limited number of violations, with columns only for CSV files", async () => {
    const { json } = await setUpImport();
    const overrides = Object.fromEntries(Array.from({ length: VIOLATIONS_MAX }, (_, i) => [`n${i}`, {}]));
    const { rows } = await json([{ text: 7, channels: [], overrides }]);
    expect(rows[0]?.violations).toHaveLength(VIOLATIONS_MAX);
    const { rows: lines } = await json([{ text: "a", channels: ["nowhere"] }]);
    expect(lines[0]?.violations).toMatchObject([{ code: "unknown_channel" }]);
    expect(lines[0]?.violations[0]).not.toHaveProperty("column");
  });

  it("an import without rows succeeds if the caller may create posts or drafts", async () => {
    const { csv } = await setUpImport();
    expect((await csv(["text"])).body).toEqual({ rows: [], valid: 0, invalid: 0, created: 0 });
    expect((await csv(["text"], { scopes: ["draft"] })).replayed).toBe(false);
    expect(await catchRefusal(csv(["text"], { scopes: ["read"] }))).toMatchObject({ code: "scope_missing" });
  });

  it("an import counts towards the rate limits of imports and of files, each file once", async () => {
    const { csv, bothChannels, limitsTaken } = await setUpImport();
    const [a, b] = ["https://files.example/a.jpg", "https://files.example/b.jpg"];
    const file = [
      "text,channels,media_urls",
      `a,${bothChannels},${a}`,
      `b,${bothChannels},${a}|${b}`,
      `c,${bothChannels},`,
    ];
    await csv(file, DRY);
    expect(limitsTaken).toEqual([["import_caller", 1]]);
    await csv(["text,channels", `d,${bothChannels}`]);
    expect(limitsTaken).toHaveLength(2);
    await csv(file);
    expect(limitsTaken.slice(2)).toEqual([
      ["import_caller", 1],
      ["media_workspace", 3],
    ]);
  });
});

describe("the scopes and limits of an import", () => {
  it("an import of drafts needs the scope draft, and one of scheduled posts the scope publish", async () => {
    const { csv, bothChannels, readPosts } = await setUpImport();
    const [draft, scheduled] = [
      ["text,channels,draft", `a,${bothChannels},true`],
      ["text,channels", `b,${bothChannels}`],
    ];
    expect(await catchRefusal(csv(scheduled, { scopes: ["draft"] }))).toMatchObject({ code: "scope_missing" });
    expect(await catchRefusal(csv(draft, { scopes: ["publish"] }))).toMatchObject({ code: "scope_missing" });
    expect(await readPosts()).toEqual([]);
    const mixed = ["text,channels,draft", `a,${bothChannels},true`, `b,${bothChannels},`];
    for (const scopes of [["draft"], ["publish"]])
      expect(await catchRefusal(csv(mixed, { scopes }))).toMatchObject({ code: "scope_missing" });
    expect((await csv(draft, { scopes: ["draft"] })).body).toMatchObject({ created: 1 });
    expect((await csv(scheduled, { scopes: ["publish"] })).body).toMatchObject({ created: 1 });
  });

  it("imported posts wait for approval if the workspace requires it, and members are notified once", async () => {
    const { csv, bothChannels, readPosts, readDeliveries, jobs, workspaceId, armed } = await setUpImport({
      workspace: { approval: "all" },
    });
    const { rows } = await csv([
      "text,channels,draft",
      `a,${bothChannels},`,
      `b,${bothChannels},`,
      `c,${bothChannels},true`,
    ]);
    expect(rows.map(({ post }) => post?.status)).toEqual(["awaiting_approval", "awaiting_approval", "draft"]);
    expect(await readPosts()).toHaveLength(3);
    expect([await readDeliveries(), armed]).toEqual([[], []]);
    expect(jobs).toEqual([{ kind: "notify", workspace: workspaceId }]);
  });

  it("an import finds only channels that the key may use", async () => {
    const { csv, first, second, readPosts } = await setUpImport();
    const reachable = await csv(["text,channels", "a,telegram"], { reach: [first], ...DRY });
    expect(reachable.rows).toMatchObject([{ valid: true }]);
    const { rows } = await csv(["text,channels", `a,${second}`], { reach: [first] });
    expect(rows).toMatchObject([{ valid: false, violations: [{ code: "unknown_channel" }], post: null }]);
    expect(await readPosts()).toEqual([]);
  });

  it("an import is accepted up to the last post of the plan's month", async () => {
    const { csv, bothChannels, readPosts } = await setUpImport({ workspace: { plan: "free" } });
    const rows = (count: number) => Array.from({ length: count }, (_, i) => `post ${i},${bothChannels}`);
    const over = await catchRefusal(csv(["text,channels", ...rows((postsMax ?? 0) + 1)], PARTIAL));
    expect(over.detail.extra).toMatchObject({ limit: "posts_per_month", used: 0, allowed: postsMax });
    expect(await readPosts()).toEqual([]);
    expect((await csv(["text,channels", ...rows(postsMax ?? 0)])).body).toMatchObject({ created: postsMax });
    const full = await catchRefusal(csv(["text,channels", `one more,${bothChannels}`]));
    expect(full.detail.extra).toMatchObject({ limit: "posts_per_month", used: postsMax });
    expect((await csv(["text,channels,draft", `draft,${bothChannels},true`])).body).toMatchObject({ created: 1 });
  });

  it("an import may have drafts in addition to the last posts of the month, even if the month's limit is exceeded", async () => {
    const { csv, bothChannels, workspaceId } = await setUpImport({ workspace: { plan: "free" } });
    const rows = Array.from({ length: postsMax ?? 0 }, (_, i) => `post ${i},${bothChannels},`);
    const drafts = [`c,${bothChannels},true`, `d,${bothChannels},true`];
    const whole = await csv(["text,channels,draft", ...rows, ...drafts]);
    expect(whole.body).toMatchObject({ created: (postsMax ?? 0) + 2 });
    await db
      .update(usageMonths)
      .set({ posts: 2 * (postsMax ?? 0) })
      .where(eq(usageMonths.workspaceId, workspaceId));
    expect((await csv(["text,channels,draft", ...drafts])).body).toMatchObject({ created: 2 });
  });

  it("an import is accepted up to the last draft of the plan, and scheduled posts do not count as drafts", async () => {
    const free = { workspace: { plan: "free", drafts: (draftsMax ?? 0) - 1, draftBytes: 9 } };
    const { csv, bothChannels, readPosts, workspaceId } = await setUpImport(free);
    const file = (...drafts: string[]) => [
      "text,channels,draft",
      ...drafts.map((draft, i) => `${i},${bothChannels},${draft}`),
    ];
    expect((await catchRefusal(csv(file("true", "true")))).detail.extra).toMatchObject({ limit: "drafts" });
    expect(await readPosts()).toEqual([]);
    expect((await csv(file("true", "false"))).body).toMatchObject({ created: 2 });
    const [row] = await db.select().from(workspaces).where(eq(workspaces.id, workspaceId));
    expect(row?.drafts).toBe(draftsMax);
    expect(row?.draftBytes).toBeGreaterThan(9);
    expect((await catchRefusal(csv(file("true")))).detail.extra).toMatchObject({ limit: "drafts" });
    expect((await csv(file("false"))).body).toMatchObject({ created: 1 });
  });

  it("the bytes of all drafts of an import count together towards the plan's limit", async () => {
    const { draft_bytes: bytesMax } = getPlan("free");
    const { csv, bothChannels } = await setUpImport({
      workspace: { plan: "free", drafts: 1, draftBytes: (bytesMax ?? 0) - 1_500 },
    });
    const text = "x".repeat(1_000);
    const file = (count: number) => [
      "text,channels,draft",
      ...Array.from({ length: count }, () => `${text},${bothChannels},true`),
    ];
    expect((await catchRefusal(csv(file(2)))).detail.extra).toMatchObject({ limit: "draft_bytes" });
    expect((await csv(file(1))).body).toMatchObject({ created: 1 });
  });

  it("the costs of all rows of an import count together towards the budget of the workspace", async () => {
    const onX = { channel: { platform: "x" } };
    const { create, csv, first } = await setUpImport(onX);
    const { body } = await create({ dry_run: true, channels: [first], publish_at: LATER });
    const [delivery] = Object(body.deliveries);
    const cost = Math.round(delivery.estimated_cost_usd * 1_000_000);
    expect(cost).toBeGreaterThan(0);
    const file = (count: number) => [
      "text,channels,publish_at",
      ...Array.from({ length: count }, (_, i) => `hell${i},${first},${LATER}`),
    ];
    const small = await setUpImport({ ...onX, workspace: { budget: cost } });
    const ownRows = (count: number) => file(count).map((line) => line.replaceAll(first, small.first));
    const over = await catchRefusal(small.csv(ownRows(2)));
    expect(over.detail.extra).toMatchObject({ limit: "budget", budget_of: "workspace", used: 0 });
    expect((await small.csv(ownRows(1))).body).toMatchObject({ created: 1 });
    expect((await small.csv(["text,channels,draft", `c,${small.first},true`])).body).toMatchObject({ created: 1 });
    expect((await csv(file(2))).body).toMatchObject({ created: 2 });
  });
});
