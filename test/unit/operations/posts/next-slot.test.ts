// Posts that ask for the next slot: which one they get, and what becomes of a check of it.
import { describe, expect, it } from "vitest";
import { DAY_MS } from "../../../../src/domain/limits.ts";
import { withSlot } from "../../../../src/operations/posts/take-slot.ts";
import { NOW } from "../../store/deliveries/stored-delivery.ts";
import { refusal, workspaceOfTwo } from "./workspace-of-two.ts";

/** One slot a day at noon, UTC. */
const EACH_DAY = [1, 2, 3, 4, 5, 6, 7].map((weekday) => ({ weekday, time: "12:00", channels: null }));
const noonAfter = (days: number) => {
  const noon = Math.floor(NOW / DAY_MS) * DAY_MS + DAY_MS / 2;
  return (noon > NOW ? noon : noon + DAY_MS) + days * DAY_MS;
};
const iso = (ms: number) => new Date(ms).toISOString();

async function slotted(slots: object[] = EACH_DAY) {
  const workspace = await workspaceOfTwo();
  await workspace.call("slots.set", { body: { slots } });
  const queue = (body: object = {}, more: object = {}) => workspace.create({ publish_at: "next_slot", ...body }, more);
  /** The content that a check of the post found. */
  const check = async () => {
    const reply = await queue({ dry_run: true });
    return "content" in reply ? (reply.content ?? undefined) : expect.fail("a check has a content");
  };
  return { ...workspace, queue, check };
}

describe("a post for the next slot", () => {
  it("takes the first that is free, and wakes its publishers then", async () => {
    const { queue, armed, readPosts } = await slotted();
    expect((await queue()).body).toMatchObject({ publish_at: iso(noonAfter(0)) });
    expect(armed).toEqual([0, 1].map((lane) => ({ lane, at: noonAfter(0) })));
    expect((await queue({ text: "second" })).body).toMatchObject({ publish_at: iso(noonAfter(1)) });
    expect((await readPosts()).map(({ dueAt }) => dueAt).toSorted()).toEqual([noonAfter(0), noonAfter(1)]);
  });

  it("is told in a dry run which one it would get, and takes none", async () => {
    const { queue, readPosts } = await slotted();
    expect((await queue({ dry_run: true })).body).toMatchObject({ publish_at: iso(noonAfter(0)) });
    expect(await readPosts()).toEqual([]);
    expect((await queue()).body).toMatchObject({ publish_at: iso(noonAfter(0)) });
  });

  it("is refused where the workspace has no slots for its channels", async () => {
    const none = await refusal((await slotted([])).queue());
    expect([none.code, none.detail.field]).toEqual(["no_free_slot", "/publish_at"]);
    const workspace = await workspaceOfTwo();
    const { first, second, call, create } = workspace;
    await call("slots.set", { body: { slots: [{ weekday: 1, time: "12:00", channels: [first] }] } });
    const own = create({ publish_at: "next_slot", channels: [second] });
    expect(await refusal(own)).toMatchObject({ code: "no_free_slot" });
  });

  it("that is edited keeps out of its own way", async () => {
    const { queue, call, readPosts } = await slotted();
    const { body } = await queue();
    await call("posts.update", { id: String(body.id), body: { publish_at: "next_slot", text: "better" } });
    expect(await readPosts()).toMatchObject([{ publishAt: noonAfter(0), text: "better" }]);
  });
});

describe("a check that found a slot", () => {
  it("is carried out at this slot", async () => {
    const { queue, check, readPosts } = await slotted();
    const content = await check();
    expect(content).toBe(`@${noonAfter(0)}`);
    await queue({}, { content });
    expect(await readPosts()).toMatchObject([{ dueAt: noonAfter(0) }]);
  });

  it("is not carried out at another one, or for another content", async () => {
    const { queue, check, readPosts } = await slotted();
    const content = await check();
    await queue({ text: "faster" });
    const gone = await refusal(queue({}, { content }));
    expect([gone.code, gone.detail.field]).toEqual(["no_free_slot", "/publish_at"]);
    expect(gone.message).toBe("The next free slot is another one than when the post was checked.");
    expect(gone.detail.hint).toBe("Check the post again.");
    const changed = await refusal(queue({}, { content: `other@${noonAfter(1)}` }));
    expect(changed.code).toBe("unknown_media");
    expect(await readPosts()).toHaveLength(1);
  });

  it("names the slot only where there is one, and a content only where it is known", () => {
    const wish = { workspaceId: "ws_1", post: null, channels: [], candidates: [7, 8] };
    expect([withSlot("a", wish), withSlot("a", null), withSlot(null, wish)]).toEqual(["a@7", "a", null]);
  });
});
