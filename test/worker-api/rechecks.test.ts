// The recheck setting of a workspace, and the setting that a delivery was accepted with.
import { expect, it } from "vitest";
import { isWatched } from "../support/after.ts";
import { tomorrowNoon } from "../support/dates.ts";
import { type Account, call, connect, finished, getPost, type PostBody, post, signUp } from "../support/world.ts";

const setRechecks = ({ session, workspace }: Account, rechecks: unknown) =>
  call("PATCH", `/v1/workspaces/${workspace}`, { token: session, body: { rechecks } });
const FREE = { estimated_cost_usd: null, cost: null };
const costOnX = (publish: number, rechecks: number) => ({
  estimated_cost_usd: Number((publish + rechecks).toFixed(3)),
  cost: { publish, rechecks, metrics: 0 },
});

async function openOnX() {
  const account = await signUp();
  const [x, telegram] = [await connect(account.key, "x"), await connect(account.key, "telegram")];
  const body = { text: "one", channels: [x.id, telegram.id], publish_at: tomorrowNoon() };
  const estimate = async () =>
    (await call<PostBody>("POST", "/v1/posts", { token: account.key, body: { ...body, dry_run: true } })).body
      .deliveries;
  return { account, x, body, estimate };
}

it("the setting is null until an owner sets it, and null means each network's own rule", async () => {
  const { account, estimate } = await openOnX();
  const { session, workspace, key } = account;
  const path = `/v1/workspaces/${workspace}`;
  expect((await call("GET", "/v1/workspace", { token: key })).body).toMatchObject({ rechecks: null });
  expect(await estimate()).toMatchObject([costOnX(0.015, 0.015), FREE]);
  for (const [rechecks, cost] of [
    ["full", 0.03],
    ["off", 0],
    ["light", 0.015],
    [null, 0.015],
  ] as const) {
    expect(await setRechecks(account, rechecks)).toMatchObject({ status: 200, body: { rechecks } });
    expect(await call("GET", path, { token: session })).toMatchObject({
      status: 200,
      body: { id: workspace, rechecks },
    });
    expect(await estimate()).toMatchObject([costOnX(0.015, cost), FREE]);
  }
  const { body } = await call<{ audit: { details: object }[] }>("GET", "/v1/audit?act=workspace.changed", {
    token: session,
    headers: { "x-workspace": workspace },
  });
  expect(body.audit.map(({ details }) => details)).toContainEqual({ rechecks: "off" });
});

it("an unknown setting is refused, and a workspace is shown only to its members", async () => {
  const account = await signUp();
  expect(await setRechecks(account, "rarely")).toMatchObject({ status: 422, body: { field: "/rechecks" } });
  const path = `/v1/workspaces/${account.workspace}`;
  expect(await call("GET", path, { token: (await signUp()).session })).toMatchObject({
    status: 403,
    body: { error: "not_a_member" },
  });
  expect(await call("GET", path, { token: account.key })).toMatchObject({
    status: 403,
    body: { error: "key_not_allowed" },
  });
});

it("a delivery keeps the setting that it was accepted with until it is edited", async () => {
  const { account, body } = await openOnX();
  const { key } = account;
  const scheduled = await post(key, body);
  expect(scheduled.deliveries).toMatchObject([costOnX(0.015, 0.015), FREE]);
  await setRechecks(account, "off");
  expect((await getPost(key, scheduled.id)).deliveries).toMatchObject([costOnX(0.015, 0.015), FREE]);
  const listed = await call<{ posts: PostBody[] }>("GET", "/v1/posts", { token: key });
  expect(listed.body.posts[0]?.deliveries).toMatchObject([costOnX(0.015, 0.015), FREE]);
  const edited = await call<PostBody>("PATCH", `/v1/posts/${scheduled.id}`, {
    token: key,
    body: { text: "see https://example.com/" },
  });
  expect(edited.body.deliveries).toMatchObject([costOnX(0.2, 0), FREE]);
  const draft = await post(key, { ...body, draft: true });
  expect(draft.deliveries).toEqual([]);
  const released = await call<PostBody>("PATCH", `/v1/posts/${draft.id}`, { token: key, body: { draft: false } });
  expect(released.body.deliveries).toMatchObject([costOnX(0.015, 0), FREE]);
});

it("a live post is not rechecked in a workspace that has turned rechecks off", async () => {
  const { account, x } = await openOnX();
  const isPostWatched = async () => {
    const { id } = await post(account.key, { text: crypto.randomUUID(), channels: [x.id] });
    expect((await finished(account.key, id)).status).toBe("published");
    return isWatched(id);
  };
  expect(await isPostWatched()).toBe(true);
  await setRechecks(account, "off");
  expect(await isPostWatched()).toBe(false);
});

it("each imported row has its own price", async () => {
  const { account, x, body } = await openOnX();
  const rows = ["one", "see https://example.com/"].map((text) =>
    JSON.stringify({ text, channels: [x.id], publish_at: body.publish_at }),
  );
  const { body: imported } = await call<{ rows: { post: PostBody }[] }>("POST", "/v1/posts/import", {
    token: account.key,
    body: rows.join("\n"),
    headers: { "content-type": "application/x-ndjson" },
  });
  expect(imported.rows.map(({ post: { deliveries } }) => deliveries)).toMatchObject([
    [costOnX(0.015, 0.015)],
    [costOnX(0.2, 0.015)],
  ]);
});
