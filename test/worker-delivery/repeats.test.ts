// Repeating posts: the next post is made when the last one has ended, once, unless somebody stops the series.
import { describe, expect, it } from "vitest";
import { inDays } from "../support/dates.ts";
import { testEnv } from "../support/env.ts";
import { DAY_MS } from "../support/machine.ts";
import { type Account, call, connect, finished, getPost, ledger, post } from "../support/world.ts";
import { withoutSweeper } from "./maintenance/swept-files.ts";
import { daily, listSeries, makeNextPosts, openSeries, publishNow, send } from "./repeated.ts";

withoutSweeper();

const requireApproval = ({ session, workspace }: Account) =>
  call("PATCH", `/v1/workspaces/${workspace}`, { token: session, body: { approval: "all" } });

describe("a repeating post", () => {
  it("is followed by the next one when it has ended, once, with the next text and the same time of day", async () => {
    const account = await openSeries();
    const { key } = account;
    const first = await post(key, { ...daily(account, { variations: ["second"], times: 3 }), labels: ["l"] });
    expect(first).toMatchObject({
      repeat: { every: "day", interval: 1, weekdays: null, until: null, times: 3, variations: ["second"] },
      repeat_of: null,
      repeat_status: { state: "active", problem: null },
    });
    await makeNextPosts();
    expect(await listSeries(key, first.id)).toHaveLength(1);
    const ended = await publishNow(account, first.id);
    await Promise.all([makeNextPosts(), makeNextPosts(), makeNextPosts()]);
    await makeNextPosts();
    const [before, next, ...others] = await listSeries(key, first.id);
    expect(others).toEqual([]);
    expect(before?.repeat_status).toEqual({ state: "continued", next_at: null, problem: null });
    const time = new Date(Date.parse(ended.publish_at ?? "") + DAY_MS).toISOString();
    expect(next).toMatchObject({
      text: "second",
      status: "scheduled",
      publish_at: time,
      repeat_of: first.id,
      repeat: { variations: ["first"] },
      repeat_status: { state: "active" },
      deliveries: [{ status: "pending", scheduled_for: time }],
    });
    const last = next?.id ?? "";
    await publishNow(account, last);
    await makeNextPosts();
    const [, , third] = await listSeries(key, first.id);
    expect(third).toMatchObject({ text: "first", repeat_of: first.id, repeat_status: { next_at: null } });
    await publishNow(account, third?.id ?? "");
    await makeNextPosts();
    expect(await listSeries(key, first.id)).toHaveLength(3);
    expect((await getPost(key, third?.id ?? "")).repeat_status).toMatchObject({ state: "completed" });
    const { body } = await call<{ posts: { used: number } }>("GET", "/v1/usage", { token: key });
    expect(body.posts.used).toBe(3);
    expect((await ledger(account.handle)).map(({ text }) => text)).toEqual(["first", "second", "first"]);
  });

  it("stops by any post of the series, also while the next one is being made", async () => {
    const account = await openSeries();
    const { key } = account;
    const { id } = await post(key, daily(account));
    await publishNow(account, id);
    const [stopped] = await Promise.all([send("DELETE", `/${id}/repeat`, key), makeNextPosts()]);
    expect(stopped.status).toBe(200);
    await makeNextPosts();
    const made = await listSeries(key, id);
    expect(made.length).toBeLessThanOrEqual(2);
    expect(made.at(-1)?.repeat_status).toMatchObject({ state: "stopped", next_at: null });
    for (const { id: member } of made) {
      expect(await send("DELETE", `/${member}/repeat`, key)).toMatchObject({
        status: 409,
        body: { error: "repeat_stopped" },
      });
    }
    const { id: other } = await post(key, { text: "once", channels: [account.channel], publish_at: inDays(1) });
    expect(await send("DELETE", `/${other}/repeat`, key)).toMatchObject({
      status: 409,
      body: { error: "repeat_stopped" },
    });
    expect((await send("DELETE", "/post_none/repeat", key)).status).toBe(404);
  });

  it("stays stopped through edits, and a cancelled post is not followed", async () => {
    const account = await openSeries();
    const { key } = account;
    const { id, repeat: written } = await post(key, daily(account));
    await send("DELETE", `/${id}/repeat`, key);
    const edited = await send("PATCH", `/${id}`, key, { text: "edited", repeat: written });
    expect(edited.body).toMatchObject({ text: "edited", repeat_status: { state: "stopped" } });
    const again = await send("PATCH", `/${id}`, key, { repeat: { every: "week" } });
    expect(again).toMatchObject({ status: 409, body: { error: "repeat_stopped", field: "/repeat" } });
    const { id: cancelled } = await post(key, daily(account));
    expect((await send("DELETE", `/${cancelled}`, key)).body).toMatchObject({
      status: "cancelled",
      repeat_status: { state: "stopped" },
    });
    await publishNow(account, id);
    await makeNextPosts();
    expect([await listSeries(key, id), await listSeries(key, cancelled)].map((found) => found.length)).toEqual([1, 1]);
  });

  it("is followed after a failure, and a later retry makes no further post", async () => {
    const account = await openSeries();
    const { key, channel } = account;
    const { id } = await post(key, daily(account));
    expect(await publishNow(account, id, 3 * DAY_MS)).toMatchObject({
      status: "failed",
      deliveries: [{ error: "missed_deadline" }],
    });
    await makeNextPosts();
    const [, next] = await listSeries(key, id);
    expect(Date.parse(next?.publish_at ?? "")).toBeGreaterThan(Date.now());
    expect((await send("POST", `/${id}/deliveries/${channel}/retry`, key, {})).status).toBe(200);
    expect(await finished(key, id)).toMatchObject({ status: "published" });
    await makeNextPosts();
    expect(await listSeries(key, id)).toHaveLength(2);
  });

  it("waits for approval each time", async () => {
    const account = await openSeries();
    const { key } = account;
    await requireApproval(account);
    const first = await post(key, daily(account));
    await send("POST", `/${first.id}/approve`, key, { rev: first.rev });
    await publishNow(account, first.id);
    await makeNextPosts();
    const [, next] = await listSeries(key, first.id);
    expect(next).toMatchObject({ status: "awaiting_approval", approval: { state: "waiting" }, deliveries: [] });
  });

  it("that the plan has no room for becomes a draft, and goes on when it is released", async () => {
    const account = await openSeries();
    const { key, workspace } = account;
    const first = await post(key, daily(account));
    await publishNow(account, first.id);
    await testEnv.DB.batch([
      testEnv.DB.prepare("UPDATE workspaces SET plan = 'free' WHERE id = ?1").bind(workspace),
      testEnv.DB.prepare("UPDATE usage_months SET posts = 30 WHERE workspace_id = ?1").bind(workspace),
    ]);
    await makeNextPosts();
    const [, draft] = await listSeries(key, first.id);
    expect(draft).toMatchObject({
      status: "draft",
      repeat_of: first.id,
      repeat_status: { state: "active", problem: "plan_limit" },
    });
    await testEnv.DB.prepare("UPDATE usage_months SET posts = 1 WHERE workspace_id = ?1").bind(workspace).run();
    expect((await send("PATCH", `/${draft?.id}`, key, { draft: false })).body).toMatchObject({ status: "scheduled" });
    await publishNow(account, draft?.id ?? "");
    await makeNextPosts();
    expect(await listSeries(key, first.id)).toHaveLength(3);
  });

  it("keeps the times of single channels and leaves out channels that are gone", async () => {
    const account = await openSeries();
    const { key, channel } = account;
    const second = await connect(key, "bluesky");
    const third = await connect(key, "telegram");
    const later = inDays(1.5);
    const { id } = await post(key, {
      ...daily(account),
      channels: [channel, second.id, third.id],
      overrides: { [second.id]: { publish_at: later } },
    });
    await publishNow(account, id, 1.6 * DAY_MS);
    await call("DELETE", `/v1/channels/${third.id}`, { token: key });
    await makeNextPosts();
    const [before, next] = await listSeries(key, id);
    expect(next?.channels).toEqual([channel, second.id]);
    const byChannel = new Map(next?.deliveries.map((delivery) => [delivery.channel, delivery.scheduled_for]));
    const first = Date.parse(before?.publish_at ?? "");
    const hours = (time: string | null | undefined) => (Date.parse(time ?? "") - first) / 3_600_000;
    expect(hours(byChannel.get(second.id)) - hours(byChannel.get(channel))).toBeCloseTo(12, 3);
  });

  it("is checked: its words, its end and its texts, and a dry run lists the next times", async () => {
    const account = await openSeries();
    const { key } = account;
    const dry = (more: object) =>
      send("POST", "", key, { ...daily(account), repeat: { every: "day", ...more }, dry_run: true });
    const cases: [object, string, string][] = [
      [{ every: "hour" }, "repeat_invalid", "/repeat/every"],
      [{ interval: 0 }, "repeat_invalid", "/repeat/interval"],
      [{ interval: 366 }, "repeat_invalid", "/repeat/interval"],
      [{ every: "month", interval: 13 }, "repeat_invalid", "/repeat/interval"],
      [{ weekdays: [1] }, "repeat_invalid", "/repeat/weekdays"],
      [{ every: "week", weekdays: [8] }, "repeat_invalid", "/repeat/weekdays/0"],
      [{ until: "never" }, "repeat_invalid", "/repeat/until"],
      [{ until: "2027-02-30" }, "repeat_invalid", "/repeat/until"],
      [{ until: "2020-01-01" }, "repeat_invalid", "/repeat/until"],
      [{ until: inDays(9), times: 3 }, "repeat_invalid", "/repeat/times"],
      [{ times: 1 }, "repeat_invalid", "/repeat/times"],
      [{ variations: [" "] }, "repeat_invalid", "/repeat/variations/0"],
      [{ variations: ["b", "x".repeat(4_097)] }, "text_too_long", "/repeat/variations/1"],
      [{ weekday: 1 }, "unknown_field", "/repeat/weekday"],
    ];
    for (const [more, code, field] of cases) {
      const { status, body } = await dry(more);
      expect([more, status, body.violations?.[0]]).toMatchObject([more, 422, { code, field }]);
    }
    const { status, body } = await dry({ times: 3 });
    expect([status, body]).toMatchObject([200, { repeats_at: [expect.any(String), expect.any(String)] }]);
    const x = await connect(key, "x");
    const onX = await post(key, { ...daily(account), channels: [x.id] });
    expect(onX.warnings).toMatchObject([{ code: "identical_repeat", channel: x.id }]);
    const turns = await post(key, { ...daily(account, { variations: ["another"] }), channels: [x.id] });
    expect(turns.warnings.map(({ code }) => code)).not.toContain("identical_repeat");
  });
});
