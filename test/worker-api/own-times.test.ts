// Channels of a post with times of their own: `overrides.<channel>.publish_at`.
import { describe, expect, it } from "vitest";
import { localReading } from "../../src/domain/instant.ts";
import { inDays } from "../support/dates.ts";
import { eventually } from "../support/eventually.ts";
import { age } from "../support/lanes.ts";
import { DAY_MS } from "../support/machine.ts";
import {
  type Account,
  type Answer,
  call,
  connect,
  finished,
  getPost,
  type PostBody,
  post,
  signUp,
} from "../support/world.ts";
import { dailySlots, inHours, listNextSlots, putSlots } from "./planned-week.ts";

type PostAnswer = PostBody & { error?: string; violations?: { code: string; field: string; channel?: string }[] };

const send = (method: string, path: string, key: string, body?: object): Promise<Answer<PostAnswer>> =>
  call<PostAnswer>(method, `/v1/posts${path}`, { token: key, ...(body === undefined ? {} : { body }) });
const own = (channel: string, publish_at: string | null) => ({ [channel]: { publish_at } });

/** An account with two channels. */
async function openTwo() {
  const account = await signUp();
  const { id: first } = await connect(account.key, "telegram");
  const { id: second } = await connect(account.key, "bluesky");
  return { ...account, first, second };
}
const times = ({ deliveries }: PostBody) =>
  Object.fromEntries(deliveries.map(({ channel, scheduled_for }) => [channel, scheduled_for]));
const requireApproval = ({ session, workspace }: Account) =>
  call("PATCH", `/v1/workspaces/${workspace}`, { token: session, body: { approval: "all" } });

describe("a channel's own time", () => {
  it("is promised to its delivery, and the post is due at the earliest time", async () => {
    const { key, first, second } = await openTwo();
    const [early, late] = [inDays(1), inDays(2)];
    const written = { text: "x", channels: [first, second], publish_at: late, overrides: own(second, early) };
    const created = await post(key, written);
    expect(created).toMatchObject({ publish_at: late, due_at: early, overrides: own(second, early) });
    expect(times(created)).toEqual({ [first]: late, [second]: early });
    expect(await getPost(key, created.id)).toMatchObject({ due_at: early });
    const dry = await send("POST", "", key, { ...written, dry_run: true });
    expect(dry.status).toBe(200);
  });

  it("is read like the post's time: without an offset in the workspace's zone, and stored as an instant", async () => {
    const { key, first, second } = await openTwo();
    await call("PATCH", "/v1/workspace", { token: key, body: { timezone: "Europe/Berlin" } });
    const date = inDays(2).slice(0, 10);
    const offset = localReading(Date.parse(`${date}T12:00:00Z`), "Europe/Berlin").slice(-6);
    const written = {
      text: "x",
      channels: [first, second],
      publish_at: inDays(1),
      overrides: own(second, `${date}T09:00`),
    };
    const instant = new Date(`${date}T09:00:00${offset}`).toISOString();
    expect((await post(key, written)).overrides).toEqual(own(second, instant));
    for (const [value, code] of [
      ["2020-01-01T00:00:00Z", "publish_at_in_past"],
      ["2099-01-01T00:00:00Z", "publish_at_too_far"],
      ["soon", "publish_at_invalid"],
      ["x".repeat(101), "publish_at_invalid"],
      ["2027-03-28T02:30", "publish_at_in_dst_gap"],
    ] as const) {
      const refused = await send("POST", "", key, { ...written, overrides: own(second, value) });
      expect([refused.status, refused.body.violations?.[0]]).toMatchObject([
        422,
        { code, field: `/overrides/${second}/publish_at` },
      ]);
    }
    expect((await post(key, { ...written, overrides: own(second, null) })).overrides).toEqual({ [second]: {} });
  });

  it("survives an edit of anything else, and changes with the overrides", async () => {
    const { key, first, second } = await openTwo();
    const [early, late, later] = [inDays(1), inDays(2), inDays(3)];
    const { id } = await post(key, {
      text: "x",
      channels: [first, second],
      publish_at: late,
      overrides: own(second, early),
    });
    const edited = (await send("PATCH", `/${id}`, key, { text: "y", publish_at: later })).body;
    expect([edited.due_at, times(edited)]).toEqual([early, { [first]: later, [second]: early }]);
    const drafted = (await send("PATCH", `/${id}`, key, { draft: true })).body;
    expect([drafted.due_at, drafted.deliveries]).toEqual([early, []]);
    expect(times((await send("PATCH", `/${id}`, key, { draft: false })).body)).toEqual({
      [first]: later,
      [second]: early,
    });
    const cleared = (await send("PATCH", `/${id}`, key, { overrides: {} })).body;
    expect([cleared.due_at, times(cleared)]).toEqual([later, { [first]: later, [second]: later }]);
  });

  it("that is the only time of a post leaves the other channels to be published at once", async () => {
    const { key, first, second } = await openTwo();
    const { id } = await post(key, { text: "x", channels: [first, second], overrides: own(second, inDays(2)) });
    const statusOn = ({ deliveries }: PostBody, channel: string) =>
      deliveries.find((delivery) => delivery.channel === channel)?.status;
    const begun = await eventually(async () => {
      const found = await getPost(key, id);
      expect(statusOn(found, first)).toBe("live");
      return found;
    });
    expect([begun.status, statusOn(begun, second)]).toEqual(["publishing", "pending"]);
    expect(await send("PATCH", `/${id}`, key, { text: "y" })).toMatchObject({ status: 409 });
    expect((await send("DELETE", `/${id}`, key)).body).toMatchObject({ status: "partially_published" });
    expect((await finished(key, id)).deliveries.map(({ status }) => status).sort()).toEqual(["cancelled", "live"]);
  });

  it("moves with the post in a bulk move by seconds", async () => {
    const { key, first, second } = await openTwo();
    const [early, late] = [inDays(1), inDays(2)];
    const { id, rev } = await post(key, {
      text: "x",
      channels: [first, second],
      publish_at: late,
      overrides: own(second, early),
    });
    await call("POST", "/v1/posts/bulk", {
      token: key,
      body: { posts: [{ id, rev }], do: "move", by_seconds: 86_400 },
    });
    const later = (time: string) => new Date(Date.parse(time) + DAY_MS).toISOString();
    expect(times(await getPost(key, id))).toEqual({ [first]: later(late), [second]: later(early) });
  });

  it("can be the channel's next free slot, and holds that slot for its channel only", async () => {
    const { key, first, second } = await openTwo();
    await putSlots(key, dailySlots(inHours(6)));
    const free = await listNextSlots(key, [first], 2);
    const late = inDays(9);
    const created = await post(key, {
      text: "x",
      channels: [first, second],
      publish_at: late,
      overrides: own(second, "next_slot"),
    });
    expect(times(created)).toEqual({ [first]: late, [second]: free[0] });
    expect(created.due_at).toBe(free[0]);
    expect(await listNextSlots(key, [first], 2)).toEqual(free);
    expect(await listNextSlots(key, [second], 1)).toEqual(free.slice(1));
    const [one, two] = await Promise.all(
      ["a", "b"].map((text) => post(key, { text, channels: [second], overrides: own(second, "next_slot") })),
    );
    expect(new Set([free[0], one?.due_at, two?.due_at]).size).toBe(3);
    await send("PATCH", `/${created.id}`, key, { overrides: {} });
    expect(await listNextSlots(key, [second], 1)).toEqual([free[0]]);
    const draft = await post(key, { text: "d", channels: [second], draft: true, overrides: own(second, "next_slot") });
    expect(draft.overrides).toEqual(own(second, free[0] ?? ""));
    expect(await listNextSlots(key, [second], 1)).not.toContain(free[0]);
  });

  it("that has passed when the post is approved is replaced by the approval's time", async () => {
    const account = await openTwo();
    const { key, first, second } = account;
    await requireApproval(account);
    const [early, late] = [inDays(1), inDays(2)];
    const waiting = await post(key, {
      text: "x",
      channels: [first, second],
      publish_at: late,
      overrides: own(second, early),
    });
    expect(waiting).toMatchObject({ status: "awaiting_approval", due_at: early });
    await age(waiting.id, DAY_MS + 120_000);
    const refused = await send("POST", `/${waiting.id}/approve`, key, { rev: waiting.rev });
    expect(refused.body.violations).toMatchObject([
      { code: "publish_at_in_past", field: `/overrides/${second}/publish_at`, channel: second },
    ]);
    const time = inDays(3);
    const approved = await send("POST", `/${waiting.id}/approve`, key, { rev: waiting.rev, publish_at: time });
    expect([approved.status, times(approved.body)]).toEqual([200, { [first]: time, [second]: time }]);
    expect(approved.body.content_tag).toBe(waiting.content_tag);
  });

  it("is kept by an import", async () => {
    const { key, first, second } = await openTwo();
    const [early, late] = [inDays(1), inDays(2)];
    const rows = [
      { text: "x", channels: [first, second], publish_at: late, overrides: own(second, early) },
      { text: "y", channels: [second], overrides: own(second, "next_slot") },
    ];
    const answer = await call<{ rows: { post: PostBody | null; violations: { field: string }[] }[] }>(
      "POST",
      "/v1/posts/import?partial=true",
      {
        token: key,
        body: rows.map((row) => JSON.stringify(row)).join("\n"),
        headers: { "content-type": "application/x-ndjson" },
      },
    );
    const [kept, refused] = answer.body.rows;
    expect(kept?.post && times(kept.post)).toEqual({ [first]: late, [second]: early });
    expect(kept?.post?.due_at).toBe(early);
    expect(refused?.violations).toMatchObject([{ field: `/overrides/${second}/publish_at` }]);
  });
});
