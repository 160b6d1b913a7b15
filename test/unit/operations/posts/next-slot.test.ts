// Posts that use the next free slot, and dry runs of them.
import { describe, expect, it } from "vitest";
import { DAY_MS } from "../../../../src/domain/limits.ts";
import { withSlot } from "../../../../src/operations/posts/take-slot.ts";
import { NOW } from "../../store/deliveries/stored-delivery.ts";
import { catchRefusal, setUpWorkspace } from "./workspace-of-two.ts";

/** One slot a day at noon, UTC. */
const EACH_DAY = [1, 2, 3, 4, 5, 6, 7].map((weekday) => ({ weekday, time: "12:00", channels: null }));
const getNoonAfter = (days: number) => {
  const noon = Math.floor(NOW / DAY_MS) * DAY_MS + DAY_MS / 2;
  return (noon > NOW ? noon : noon + DAY_MS) + days * DAY_MS;
};
const toIso = (ms: number) => new Date(ms).toISOString();

async function setUpSlots(slots: object[] = EACH_DAY) {
  const workspace = await setUpWorkspace();
  await workspace.call("slots.set", { body: { slots } });
  const queue = (body: object = {}, options: object = {}) =>
    workspace.create({ publish_at: "next_slot", ...body }, options);
  /** Returns the content of a dry run of the post. */
  const check = async () => {
    const reply = await queue({ dry_run: true });
    return "content" in reply ? (reply.content ?? undefined) : expect.fail("a check has a content");
  };
  return { ...workspace, queue, check };
}

describe("a post for the next slot", () => {
  it("a post for the next slot gets the first free slot, and wakes its publishers for that time", async () => {
    const { queue, armed, readPosts } = await setUpSlots();
    expect((await queue()).body).toMatchObject({ publish_at: toIso(getNoonAfter(0)) });
    expect(armed).toEqual([0, 1].map((lane) => ({ lane, at: getNoonAfter(0) })));
    expect((await queue({ text: "second" })).body).toMatchObject({ publish_at: toIso(getNoonAfter(1)) });
    expect((await readPosts()).map(({ dueAt }) => dueAt).toSorted()).toEqual([getNoonAfter(0), getNoonAfter(1)]);
  });

  it("a dry run shows the slot that the post would get, and does not occupy it", async () => {
    const { queue, readPosts } = await setUpSlots();
    expect((await queue({ dry_run: true })).body).toMatchObject({ publish_at: toIso(getNoonAfter(0)) });
    expect(await readPosts()).toEqual([]);
    expect((await queue()).body).toMatchObject({ publish_at: toIso(getNoonAfter(0)) });
  });

  it("a post for the next slot is refused if the workspace has no slots for its channels", async () => {
    const withoutSlots = await catchRefusal((await setUpSlots([])).queue());
    expect([withoutSlots.code, withoutSlots.detail.field]).toEqual(["no_free_slot", "/publish_at"]);
    const workspace = await setUpWorkspace();
    const { first, second, call, create } = workspace;
    await call("slots.set", { body: { slots: [{ weekday: 1, time: "12:00", channels: [first] }] } });
    const ownSlotPost = create({ publish_at: "next_slot", channels: [second] });
    expect(await catchRefusal(ownSlotPost)).toMatchObject({ code: "no_free_slot" });
  });

  it("an edited post does not count as an obstacle for its own slot", async () => {
    const { queue, call, readPosts } = await setUpSlots();
    const { body } = await queue();
    await call("posts.update", { id: String(body.id), body: { publish_at: "next_slot", text: "better" } });
    expect(await readPosts()).toMatchObject([{ publishAt: getNoonAfter(0), text: "better" }]);
  });
});

describe("a dry run that found a slot", () => {
  it("a post that names the content of a dry run gets the slot of the dry run", async () => {
    const { queue, check, readPosts } = await setUpSlots();
    const content = await check();
    expect(content).toBe(`@${getNoonAfter(0)}`);
    await queue({}, { content });
    expect(await readPosts()).toMatchObject([{ dueAt: getNoonAfter(0) }]);
  });

  it("a post that names the content of a dry run is refused if the slot or the content is another", async () => {
    const { queue, check, readPosts } = await setUpSlots();
    const content = await check();
    await queue({ text: "faster" });
    const refused = await catchRefusal(queue({}, { content }));
    expect([refused.code, refused.detail.field]).toEqual(["no_free_slot", "/publish_at"]);
    expect(refused.message).toBe("The next free slot is another one than when the post was checked.");
    expect(refused.detail.hint).toBe("Check the post again.");
    const changed = await catchRefusal(queue({}, { content: `other@${getNoonAfter(1)}` }));
    expect(changed.code).toBe("unknown_media");
    expect(await readPosts()).toHaveLength(1);
  });

  it("the content of a dry run includes the slot if there is one", () => {
    const wish = { workspaceId: "ws_1", post: null, channels: [], candidates: [7, 8] };
    expect([withSlot("a", wish), withSlot("a", null), withSlot(null, wish)]).toEqual(["a@7", "a", null]);
  });
});
