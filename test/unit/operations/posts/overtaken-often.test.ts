// Edits that are overtaken many times are retried with growing waits, and finally refused.
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { HOUR_MS } from "../../../../src/domain/limits.ts";
import { refuse } from "../../../../src/domain/refusal.ts";
import { openDatabase } from "../../../../src/store/db/db.ts";
import { usageMonths, workspaces } from "../../../../src/store/db/schema.ts";
import { databaseVia } from "../../../support/breaking-db.ts";
import { db, makeBinding, NOW } from "../../store/deliveries/stored-delivery.ts";
import { setUpPost } from "./created-post.ts";
import { catchRefusal } from "./workspace-of-two.ts";

const LATER = new Date(NOW + HOUR_MS).toISOString();
const FREE = { workspace: { plan: "free" } } as const;
const WRITES_POST = /update "posts" set/;

/** Creates a post. `overtake` runs another call right before each of the next `times` edits is written. */
async function setUpOvertaken(body: object = {}, parts: Parameters<typeof setUpPost>[1] = {}) {
  const pauses: number[] = [];
  const { outside, ...otherParts } = parts;
  const created = await setUpPost(body, {
    ...otherParts,
    outside: { pause: async (ms) => void pauses.push(ms), ...outside },
  });
  const { ctx, edit } = created;
  const overtake = (times: number, act: (time: number) => Promise<unknown>) => {
    let time = 0;
    let isOther = false;
    const binding = databaseVia(makeBinding(), async (sql, write) => {
      if (!isOther && time < times && WRITES_POST.test(sql)) {
        isOther = true;
        await act(++time);
        isOther = false;
      }
      return write();
    });
    const overtakenDb = openDatabase(binding);
    ctx.accounts = overtakenDb;
    ctx.databaseOf = () => overtakenDb;
  };
  const relabel = (time: number) => edit({ labels: [`other ${time}`] });
  return { ...created, pauses, overtake, relabel };
}

describe("an edit that is overtaken again and again", () => {
  it("an edit that is overtaken repeatedly waits twice as long each time, up to two seconds, and finally applies", async () => {
    const { edit, overtake, relabel, pauses, readPosts } = await setUpOvertaken();
    overtake(9, relabel);
    expect((await edit({ text: "mine" })).body).toMatchObject({ text: "mine", labels: ["other 9"], rev: 11 });
    expect(pauses).toEqual([11, 21, 41, 81, 161, 322, 643, 1_004, 1_004]);
    expect(await readPosts()).toMatchObject([{ text: "mine", labels: ["other 9"] }]);
  });

  it("an edit that is overtaken for twenty seconds is refused and changes nothing", async () => {
    let now = NOW;
    const pause = async () => {
      now += 5_000;
    };
    const { ctx, edit, overtake, relabel, readPosts, readDeliveries, first } = await setUpOvertaken(
      { publish_at: LATER },
      { outside: { pause } },
    );
    ctx.now = () => now;
    overtake(100, relabel);
    expect(await catchRefusal(edit({ channels: [first] }))).toMatchObject({ status: 409, code: "edit_conflict" });
    expect(await readPosts()).toMatchObject([{ labels: ["other 5"], revision: 6 }]);
    expect(await readDeliveries()).toHaveLength(2);
  });

  it("an overtaken edit keeps the files that another edit has added in the meantime", async () => {
    const { edit, overtake, call, readPosts } = await setUpOvertaken();
    const { body } = await call("media.register", { body: { url: "https://files.example/a.jpg", kind: "image" } });
    overtake(1, () => edit({ media: [body.id] }));
    await edit({ text: "mine" });
    expect(await readPosts()).toMatchObject([{ text: "mine", media: [body.id] }]);
  });

  it("an overtaken edit is a conflict if the free plan allows no other try, and other refusals are passed on", async () => {
    const { edit, overtake } = await setUpOvertaken();
    overtake(1, async () => {
      throw refuse("too_much_for_free_plan");
    });
    expect(await catchRefusal(edit({ text: "mine" }))).toMatchObject({ code: "edit_conflict" });
    overtake(1, async () => {
      throw refuse("rate_limited");
    });
    expect(await catchRefusal(edit({ text: "mine" }))).toMatchObject({ code: "rate_limited" });
  });
});

describe("an overtaken edit", () => {
  it("an overtaken edit does not continue before its wait is over", async () => {
    const pause = () => Promise.reject(new Error("stopped while it waited"));
    const { edit, overtake, relabel, readPosts } = await setUpOvertaken({}, { outside: { pause } });
    overtake(1, relabel);
    await expect(edit({ text: "mine" })).rejects.toThrow("stopped while it waited");
    expect(await readPosts()).toMatchObject([{ text: "hello" }]);
  });
});

describe("an edit for which the plan has no room", () => {
  it("the refusal of an edit that exceeds the month has the number of posts, and the start of the next month", async () => {
    const { edit, workspaceId } = await setUpOvertaken({ draft: true }, FREE);
    await fillMonth(workspaceId);
    const full = await catchRefusal(edit({ draft: false }));
    expect(full.detail.extra).toMatchObject({
      limit: "posts_per_month",
      used: 1_000_000,
      resets_at: "2027-02-01T00:00:00.000Z",
    });
  });

  it("an edit that would create one draft too many is refused with the number of drafts", async () => {
    const { edit, workspaceId, ctx, pauses } = await setUpOvertaken({}, FREE);
    await db.update(workspaces).set({ drafts: 1_000 }).where(eq(workspaces.id, workspaceId));
    let now = NOW;
    ctx.now = () => {
      now += 1_000;
      return now;
    };
    expect((await catchRefusal(edit({ draft: true }))).detail.extra).toMatchObject({ limit: "drafts", used: 1_000 });
    expect(pauses).toEqual([]);
  });
});

/** Uses up the plan's month. */
async function fillMonth(workspaceId: string): Promise<void> {
  const posts = 1_000_000;
  const month = new Date(NOW).toISOString().slice(0, 7);
  await db
    .insert(usageMonths)
    .values({ workspaceId, month, posts })
    .onConflictDoUpdate({ target: [usageMonths.workspaceId, usageMonths.month], set: { posts } });
}
describe("an overtaken edit that needs no further room", () => {
  it.each([
    ["a draft", { draft: true }],
    ["a post that is counted", { publish_at: LATER }],
  ])("an overtaken edit of %s is retried even if the month is full", async (_post, body) => {
    const { edit, overtake, relabel, workspaceId, readPosts } = await setUpOvertaken(body, FREE);
    await fillMonth(workspaceId);
    overtake(1, relabel);
    await edit({ text: "mine" });
    expect(await readPosts()).toMatchObject([{ text: "mine", labels: ["other 1"] }]);
  });

  it.each([
    ["a draft", { draft: true }],
    ["a post that is counted", { publish_at: LATER }],
  ])("an overtaken edit of %s is retried even if the budget is used up", async (_post, body) => {
    const { edit, overtake, relabel, workspaceId, readPosts } = await setUpOvertaken(body, {
      channel: { platform: "x" },
    });
    const [post] = await readPosts();
    await db
      .update(workspaces)
      .set({ budget: post?.countedCost ?? 0 })
      .where(eq(workspaces.id, workspaceId));
    overtake(1, relabel);
    await edit({ text: "mine" });
    expect(await readPosts()).toMatchObject([{ text: "mine", labels: ["other 1"] }]);
  });
});
