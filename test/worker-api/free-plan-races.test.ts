// The limits of the free plan under fifty simultaneous calls, of each kind that takes a place or returns one.
import { expect, it } from "vitest";
import { CREDENTIALS } from "../support/credentials.ts";
import { tomorrow } from "../support/dates.ts";
import { testEnv } from "../support/env.ts";
import { brokenInvariants } from "../support/invariants.ts";
import { type Account, call, connect, type PostBody, post, signUp, unique } from "../support/world.ts";

async function signUpOnFreePlan(): Promise<Account> {
  const account = await signUp();
  await testEnv.DB.prepare("UPDATE workspaces SET plan = 'free' WHERE id = ?").bind(account.workspace).run();
  return account;
}
const repeat = <Item>(count: number, make: (i: number) => Item): Item[] =>
  Array.from({ length: count }, (_, i) => make(i));

it("a month accepts thirty posts in any mixture of creating, repeating, importing, approving and cancelling", async () => {
  const account = await signUpOnFreePlan();
  const { key: token, session, workspace } = account;
  const { id: channel } = await connect(token, "telegram");
  const due = { channels: [channel], publish_at: tomorrow() };
  const early = await Promise.all(repeat(20, (i) => post(token, { text: `early ${i}`, ...due })));
  await call("PATCH", `/v1/workspaces/${workspace}`, { token: session, body: { approval: "all" } });
  const waiting = await Promise.all(repeat(5, (i) => post(token, { text: `waits ${i}`, ...due })));
  await call("PATCH", `/v1/workspaces/${workspace}`, { token: session, body: { approval: "none" } });
  const csv = (i: number) =>
    `text,channels,publish_at\n${repeat(3, (n) => `row ${i} ${n},${channel},${tomorrow()}\n`).join("")}`;
  const key = unique("again");
  const calls = [
    ...repeat(15, (i) => () => call("POST", "/v1/posts", { token, body: { text: `late ${i}`, ...due } })),
    ...repeat(
      10,
      () => () =>
        call("POST", "/v1/posts", { token, body: { text: "once", ...due }, headers: { "idempotency-key": key } }),
    ),
    ...repeat(
      10,
      (i) => () => call("POST", "/v1/posts/import", { token, body: csv(i), headers: { "content-type": "text/csv" } }),
    ),
    ...waiting.map(
      ({ id, rev }) =>
        () =>
          call("POST", `/v1/posts/${id}/approve`, { token, body: { rev } }),
    ),
    ...early.slice(0, 10).map(
      ({ id }) =>
        () =>
          call("DELETE", `/v1/posts/${id}`, { token }),
    ),
  ];
  const answers = await Promise.all(calls.map((act) => act()));
  for (const { status, body } of answers) {
    expect([200, 201, 204, 402, 409]).toContain(status);
    if (status === 402) expect(body).toMatchObject({ error: "plan_limit" });
  }
  const list = async (status: string) =>
    (await call<{ posts: PostBody[] }>("GET", `/v1/posts?status=${status}&limit=200`, { token })).body.posts;
  const counted = [...(await list("scheduled")), ...(await list("awaiting_approval"))];
  const { results } = await testEnv.DB.prepare("SELECT posts FROM usage_months WHERE workspace_id = ?")
    .bind(workspace)
    .all<{ posts: number }>();
  expect(counted.filter(({ text }) => text === "once").length).toBeLessThanOrEqual(1);
  expect(counted.length).toBeLessThanOrEqual(30);
  expect(results.reduce((sum, { posts }) => sum + posts, 0)).toBe(counted.length);
  expect(await brokenInvariants(workspace)).toEqual([]);
});

it("three of fifty simultaneously connected accounts are accepted, and a disconnected one returns its place once", async () => {
  const { key: token, workspace } = await signUpOnFreePlan();
  const account = unique("many");
  const connectOne = (i: number) =>
    call<{ id: string }>("POST", "/v1/channels", {
      token,
      body: { platform: "telegram", ...CREDENTIALS.telegram?.(`${account}_${i}`) },
    });
  const answers = await Promise.all(repeat(50, connectOne));
  const connected = answers.filter(({ status }) => status === 201);
  expect(connected).toHaveLength(3);
  for (const { status } of answers) expect([201, 402]).toContain(status);
  const disconnectedId = connected[0]?.body.id ?? "";
  await Promise.all(repeat(10, () => call("DELETE", `/v1/channels/${disconnectedId}`, { token })));
  const again = await Promise.all(repeat(50, (i) => connectOne(50 + i)));
  expect(again.filter(({ status }) => status === 201)).toHaveLength(1);
  expect(await brokenInvariants(workspace)).toEqual([]);
});

it("fifty simultaneous uploads reserve no more bytes than are left", async () => {
  const { key: token, workspace } = await signUpOnFreePlan();
  const bytesLeft = 10_000_000;
  await testEnv.DB.prepare("UPDATE workspaces SET staged_bytes = ?2 WHERE id = ?1")
    .bind(workspace, 1024 ** 3 - bytesLeft)
    .run();
  const reserve = () =>
    call("POST", "/v1/media/upload-url", { token, body: { content_type: "image/png", bytes: 3_000_000 } });
  const answers = await Promise.all(repeat(50, reserve));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(3);
  for (const { status } of answers) expect([201, 402]).toContain(status);
});
