// The database is restored to an earlier minute (docs/operations.md): a series makes no post twice and loses none, and a
// series that was stopped stays stopped.
import { describe, expect, it } from "vitest";
import { compose } from "../../src/compose.ts";
import { composeNotice } from "../../src/maintenance/compose-notice.ts";
import type { NoticeRow } from "../../src/store/notices.ts";
import { testEnv } from "../support/env.ts";
import { call, getPost, ledger, type PostBody, post } from "../support/world.ts";
import { withoutSweeper } from "./maintenance/swept-files.ts";
import { daily, edit, listSeries, makeNextPosts, openSeries, publishNow, stopRepeat } from "./repeated.ts";
import { holdBack, restoreWith, saveDatabase } from "./restore.ts";

withoutSweeper();

const VARIATIONS = { variations: ["second", "third"], times: 4 };
type Series = Awaited<ReturnType<typeof openSeries>>;

/** Publishes a post of a series at the time that its pattern has. */
async function publishInTime(series: Series, id: string): Promise<void> {
  await publishNow(series, id);
  const sql = "UPDATE posts SET series = json_set(series, '$.plannedAt', publish_at) WHERE id = ?";
  await testEnv.DB.prepare(sql).bind(id).run();
}

/** A series whose first post has ended at the restored minute, and what happens to its next post since. */
async function restoreSeries(happens: (account: Series, next: PostBody) => Promise<unknown>, restore = restoreWith) {
  const account = await openSeries();
  const first = await post(account.key, daily(account, VARIATIONS));
  await publishNow(account, first.id);
  const setBack = await saveDatabase();
  await makeNextPosts();
  const [, next] = await listSeries(account.key, first.id);
  if (next === undefined) throw new Error("the series did not go on");
  await happens(account, next);
  await restore(setBack);
  expect(await listSeries(account.key, first.id)).toHaveLength(1);
  await makeNextPosts();
  await makeNextPosts();
  const made = await listSeries(account.key, first.id);
  return { account, lost: next, made: made.slice(1), texts: (await ledger(account.handle)).map(({ text }) => text) };
}
const withoutRecord = async (setBack: () => Promise<void>) => {
  await setBack();
  await holdBack(Date.now());
};

describe("a series whose next post was made after the restored minute", () => {
  it("goes on after that post if it was published, with its number and its turn", async () => {
    const { account, made, texts } = await restoreSeries(async (series, { id }) => publishInTime(series, id));
    expect(texts).toEqual(["first", "second"]);
    expect(made).toMatchObject([{ status: "scheduled", text: "third", repeat: { variations: ["first", "second"] } }]);
    // It is the third of four.
    await publishNow(account, made[0]?.id ?? "");
    await makeNextPosts();
    const last = (await listSeries(account.key, made[0]?.repeat_of ?? "")).at(-1);
    expect(last).toMatchObject({ text: "first", repeat_status: { state: "active", next_at: null } });
  });

  it("makes that post once more if nothing of it was sent", async () => {
    const { made, lost } = await restoreSeries(async () => {});
    expect(made).toMatchObject([{ status: "scheduled", text: "second", publish_at: lost.publish_at }]);
  });

  it("does not go on if it was stopped, or its post was cancelled", async () => {
    const stopped = await restoreSeries(async ({ key }, { id }) => stopRepeat(key, id));
    expect(stopped.made).toEqual([]);
    const cancelled = await restoreSeries(async ({ key }, { id }) => call("DELETE", `/v1/posts/${id}`, { token: key }));
    expect(cancelled.made).toEqual([]);
  });

  it.each([
    [
      "its post was edited",
      async ({ key }: Series, { id }: PostBody) => edit(key, id, { text: "edited" }),
      restoreWith,
    ],
    [
      "the parameters in its links were changed",
      async ({ key }: Series, { id }: PostBody) => edit(key, id, { link_tags: { parameters: { utm_source: "new" } } }),
      restoreWith,
    ],
    [
      "its post was moved to an earlier time and published",
      async (series: Series, { id }: PostBody) => {
        await edit(series.key, id, { publish_at: null });
        await publishNow(series, id);
      },
      restoreWith,
    ],
    ["nothing else is known", async (series: Series, { id }: PostBody) => publishInTime(series, id), withoutRecord],
  ])("asks a person, by a draft, an event and a mail, if %s", async (_, happens, restore) => {
    const { account, made } = await restoreSeries(happens, restore);
    expect(made).toMatchObject([
      { status: "draft", repeat_status: { state: "active", problem: "repeat_restored" }, deliveries: [] },
    ]);
    const id = made[0]?.id;
    const { body } = await call<{ events: object[] }>("GET", "/v1/events?event=post.repeat_paused", {
      token: account.key,
    });
    expect(body.events).toMatchObject([{ post: id, error: "repeat_restored", channel: null }]);
    const notice = await testEnv.DB.prepare("SELECT *, workspace_id AS workspaceId FROM notices WHERE subject = ?")
      .bind(id)
      .first<NoticeRow>();
    const mail =
      notice && (await composeNotice(compose(testEnv, () => {}).accounts, notice, { name: "Shop", timezone: "UTC" }));
    expect([notice?.kind, mail?.subject]).toEqual(["delivery_failed", "Shop: a repeating post needs you to continue"]);
    expect((await edit(account.key, id ?? "", { draft: false })).body).toMatchObject({ status: "scheduled" });
    await publishNow(account, id ?? "");
    await makeNextPosts();
    expect((await listSeries(account.key, made[0]?.repeat_of ?? "")).at(-1)).toMatchObject({ status: "scheduled" });
  });
});

it("a series whose last post is edited after the restored minute ends with that post, which does not go out", async () => {
  const account = await openSeries();
  const { id } = await post(account.key, daily(account));
  const setBack = await saveDatabase();
  await edit(account.key, id, { text: "edited" });
  await restoreWith(setBack);
  expect(await publishNow(account, id)).toMatchObject({ status: "cancelled", repeat_status: { state: "stopped" } });
  await makeNextPosts();
  expect(await listSeries(account.key, id)).toHaveLength(1);
});

it("a series of which nothing was made since goes on as before", async () => {
  const account = await openSeries();
  const { id } = await post(account.key, daily(account, VARIATIONS));
  const setBack = await saveDatabase();
  await restoreWith(setBack);
  await publishNow(account, id);
  await makeNextPosts();
  expect(await listSeries(account.key, id)).toMatchObject([{}, { status: "scheduled", text: "second" }]);
  expect(await getPost(account.key, id)).toMatchObject({ repeat_status: { state: "continued" } });
});
