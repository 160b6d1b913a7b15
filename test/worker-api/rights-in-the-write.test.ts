// A call whose rights end between the round trip that checks it and the round trip that writes has no effect.
import { describe, expect, it } from "vitest";
import { compose } from "../../src/compose.ts";
import { CSV } from "../../src/contract/import-posts.ts";
import type { OperationName } from "../../src/contract/index.ts";
import { SCOPES } from "../../src/domain/roles.ts";
import { handlers } from "../../src/operations/index.ts";
import { countedDatabase } from "../support/counted-db.ts";
import { tomorrow } from "../support/dates.ts";
import { testEnv } from "../support/env.ts";
import { hostFeed } from "../support/feeds.ts";
import { makeKey } from "../support/keys.ts";
import { getUserId, inviteTo, join } from "../support/members.ts";
import { everyNth } from "../support/sampled.ts";
import { type Account, call, connect, finished, type PostBody, post, signUp, uploadImage } from "../support/world.ts";

type Raw = { params?: object; query?: object; body?: object };

/** Calls an operation with a credential, and runs `end` after the round trip that checks the call. */
async function callLate(
  name: OperationName,
  { token, workspace }: { token: string; workspace: string },
  raw: Raw,
  end: () => Promise<void>,
) {
  let roundTrips = 0;
  const { db } = countedDatabase(testEnv.DB, {
    async beforeRoundTrip() {
      if (++roundTrips === 2) await end();
    },
  });
  const later: Promise<unknown>[] = [];
  const ctx = compose({ ...testEnv, DB: db }, (work) => void later.push(work));
  const credentials = { token, workspaces: token.startsWith("sess_") ? [workspace] : [] };
  const request = { params: {}, query: {}, body: undefined, idempotencyKey: null, ...raw };
  const answer = await handlers[name].invokeFor(ctx, credentials, async () => request).catch((error: unknown) => error);
  await Promise.all(later);
  expect(roundTrips).toBeGreaterThan(1);
  return answer;
}

/** Reads all rows of a workspace, without the times at which a credential was last used. */
async function readSnapshot({ workspace }: Account): Promise<Record<string, unknown[]>> {
  const tables = [
    "posts",
    "deliveries",
    "webhooks",
    "slots",
    "channel_groups",
    "snippets",
    "feeds",
    "comments",
    "channels",
    "media",
    "named_keys",
    "members",
    "invitations",
    "review_links",
    "portals",
    "reports",
    "audit",
    "workspace_audit",
  ];
  const rows = await testEnv.DB.batch<Record<string, unknown>>([
    testEnv.DB.prepare("SELECT name, timezone, approval FROM workspaces WHERE id = ?").bind(workspace),
    ...tables.map((table) => testEnv.DB.prepare(`SELECT * FROM ${table} WHERE workspace_id = ?`).bind(workspace)),
  ]);
  const facts = rows.map(({ results }) => results.map(({ last_used_at: _used, ...row }) => row));
  return Object.fromEntries(["workspaces", ...tables].map((table, i) => [table, facts[i] ?? []]));
}

async function createWaitingPost(owner: Account): Promise<PostBody> {
  await call("PATCH", `/v1/workspaces/${owner.workspace}`, { token: owner.session, body: { approval: "all" } });
  const { id } = await connect(owner.key, "telegram");
  return post(owner.key, { text: "x", channels: [id], publish_at: tomorrow() });
}
const prepareDecision = async (owner: Account): Promise<Raw> => {
  const { id, rev } = await createWaitingPost(owner);
  return { params: { id }, body: { rev } };
};
async function schedulePost(owner: Account) {
  const { id: channel } = await connect(owner.key, "telegram");
  return post(owner.key, { text: "x", channels: [channel], publish_at: tomorrow() });
}
async function addMember(owner: Account) {
  const member = await signUp();
  return { id: owner.workspace, user: await join(owner, member, "viewer") };
}
const addWebhook = (owner: Account) =>
  call<{ id: string }>("POST", "/v1/webhooks", {
    token: owner.key,
    body: { url: "https://listener.example.com/hook" },
  });

const addNew = async (owner: Account, path: string, body: object) =>
  (await call<{ id: string }>("POST", path, { token: owner.key, body })).body.id;
const addGroup = (owner: Account) => addNew(owner, "/v1/channel-groups", { name: "All", channels: [] });
const addFeed = async (owner: Account) => addNew(owner, "/v1/feeds", { url: await hostFeed([]), channels: [] });
const addSnippet = (owner: Account) => addNew(owner, "/v1/snippets", { name: "Ending", text: "x" });

/** Begins an upload of one chunk, and sends it. */
async function startUpload(owner: Account) {
  const content = new TextEncoder().encode("\0\0\0 ftypisom");
  const body = { content_type: "video/mp4", bytes: content.length };
  const { media } = (
    await call<{ media: { id: string } }>("POST", "/v1/media/chunked-upload", { token: owner.key, body })
  ).body;
  const columns = testEnv.DB.prepare("SELECT object_key, upload_id FROM media WHERE id = ?").bind(media.id);
  const [key, uploadId] = (await columns.raw<[string, string]>())[0] ?? ["", ""];
  const stored = await testEnv.MEDIA?.resumeMultipartUpload(key, uploadId).uploadPart(1, content);
  return { id: media.id, etag: stored?.etag ?? "" };
}

/** The writes of a person or a key. Each function prepares a workspace, and returns the request. */
const WRITES: Partial<Record<OperationName, (owner: Account) => Promise<Raw>>> = {
  "posts.create": async (owner) => {
    const { id } = await connect(owner.key, "telegram");
    return { body: { text: "x", channels: [id], publish_at: tomorrow() } };
  },
  "posts.update": async (owner) => ({ params: { id: (await schedulePost(owner)).id }, body: { text: "y" } }),
  "posts.approve": prepareDecision,
  "posts.decline": async (owner) => {
    const { params, body } = await prepareDecision(owner);
    return { params, body: { ...body, reason: "No." } };
  },
  "posts.remove": async (owner) => ({ params: { id: (await schedulePost(owner)).id } }),
  "posts.stop-repeat": async (owner) => {
    const { id: channel } = await connect(owner.key, "telegram");
    const body = { text: "x", channels: [channel], publish_at: tomorrow(), repeat: { every: "day" } };
    return { params: { id: (await post(owner.key, body)).id } };
  },
  "posts.import": async (owner) => {
    const { id } = await connect(owner.key, "telegram");
    return { body: { type: CSV, text: `text,channels\nx,${id}\n` } };
  },
  "posts.create-review-link": async (owner) => ({ params: { id: (await createWaitingPost(owner)).id } }),
  "posts.end-review-link": async (owner) => {
    const { id } = await createWaitingPost(owner);
    await call("POST", `/v1/posts/${id}/review-link`, { token: owner.key });
    return { params: { id } };
  },
  "posts.take-down": async (owner) => {
    const { id: channel } = await connect(owner.key, "bluesky");
    const { id } = await post(owner.key, { text: "x", channels: [channel] });
    await finished(owner.key, id);
    return { params: { id, channel } };
  },
  "media.request-upload": async () => ({ body: { content_type: "image/png", bytes: 100 } }),
  "media.request-chunked-upload": async () => ({ body: { content_type: "video/mp4", bytes: 100 } }),
  "media.complete-upload": async (owner) => {
    const { id, etag } = await startUpload(owner);
    return { params: { id }, body: { chunks: [{ number: 1, etag }] } };
  },
  "media.abort-upload": async (owner) => ({ params: { id: (await startUpload(owner)).id } }),
  "media.register": async () => ({ body: { url: "https://files.example.com/a.png", kind: "image" } }),
  "media.describe": async (owner) => ({ params: { id: (await uploadImage(owner)).id }, body: { alt: "A cat" } }),
  "media.remove": async (owner) => ({ params: { id: (await uploadImage(owner)).id } }),
  "webhooks.change": async (owner) => ({
    params: { id: (await addWebhook(owner)).body.id },
    body: { events: ["delivery.failed"] },
  }),
  "webhooks.remove": async (owner) => ({ params: { id: (await addWebhook(owner)).body.id } }),
  "webhooks.rotate-secret": async (owner) => ({ params: { id: (await addWebhook(owner)).body.id } }),
  "slots.set": async () => ({ body: { slots: [{ weekday: 1, time: "09:00", channels: null }] } }),
  "comments.create": async (owner) => ({ params: { id: (await schedulePost(owner)).id }, body: { text: "x" } }),
  "channel-groups.create": async () => ({ body: { name: "All", channels: [] } }),
  "channel-groups.change": async (owner) => ({ params: { id: await addGroup(owner) }, body: { name: "Every" } }),
  "channel-groups.remove": async (owner) => ({ params: { id: await addGroup(owner) } }),
  "feeds.create": async () => ({ body: { url: await hostFeed([]), channels: [] } }),
  "feeds.change": async (owner) => ({ params: { id: await addFeed(owner) }, body: { paused: true } }),
  "feeds.remove": async (owner) => ({ params: { id: await addFeed(owner) } }),
  "snippets.create": async () => ({ body: { name: "Ending", text: "x" } }),
  "snippets.change": async (owner) => ({ params: { id: await addSnippet(owner) }, body: { text: "y" } }),
  "snippets.remove": async (owner) => ({ params: { id: await addSnippet(owner) } }),
  "channels.disconnect": async (owner) => ({ params: { id: (await connect(owner.key, "telegram")).id } }),
  "workspaces.set-timezone": async () => ({ body: { timezone: "Europe/Berlin" } }),
};

/** The writes that only a person in a session can make. */
const WRITES_OF_PEOPLE: Partial<Record<OperationName, (owner: Account) => Promise<Raw>>> = {
  "workspaces.rename": async ({ workspace }) => ({ params: { id: workspace }, body: { name: "Other" } }),
  "keys.create": async ({ workspace }) => ({ params: { id: workspace }, body: { name: "CI", scopes: ["read"] } }),
  "keys.change": async (owner) => ({
    params: { id: owner.workspace, key: (await makeKey(owner, { scopes: ["read"] })).id },
    body: { budget_usd: 5 },
  }),
  "keys.revoke": async (owner) => ({
    params: { id: owner.workspace, key: (await makeKey(owner, { scopes: ["read"] })).id },
  }),
  "members.invite": async ({ workspace }) => ({ params: { id: workspace }, body: { email: "late@example.com" } }),
  "members.change-role": async (owner) => ({ params: await addMember(owner), body: { role: "owner" } }),
  "members.remove": async (owner) => ({ params: await addMember(owner) }),
  "members.withdraw-invitation": async (owner) => ({
    params: { id: owner.workspace, invitation: (await inviteTo(owner, "early@example.com")).id },
  }),
};
const listOperations = (writes: typeof WRITES) =>
  Object.entries(writes).flatMap(([name, prepare]) => {
    const operation = Object.keys(handlers).find(
      (operationName): operationName is OperationName => operationName === name,
    );
    return operation === undefined || prepare === undefined ? [] : [[operation, prepare] as const];
  });

describe("a key that is revoked after its call was checked", () => {
  it.each(everyNth(listOperations(WRITES), { sample: 3 }))(
    "%s writes nothing if its key is revoked after the check",
    async (name, prepare) => {
      const owner = await signUp();
      const raw = await prepare(owner);
      const { id, key } = await makeKey(owner, { scopes: SCOPES });
      const before = await readSnapshot(owner);
      const end = async () => {
        await testEnv.DB.prepare("UPDATE named_keys SET revoked_at = 1 WHERE id = ?").bind(id).run();
      };
      expect(await callLate(name, { ...owner, token: key }, raw, end)).toMatchObject({ code: "key_revoked" });
      const { named_keys: _keys, ...after } = await readSnapshot(owner);
      expect(before).toMatchObject(after);
    },
  );
});

describe("a person who is signed out after their call was checked", () => {
  it.each(everyNth(listOperations({ ...WRITES, ...WRITES_OF_PEOPLE }), { sample: 3, first: 1 }))(
    "%s writes nothing if its person is signed out after the check",
    async (name, prepare) => {
      const owner = await signUp();
      const raw = await prepare(owner);
      const before = await readSnapshot(owner);
      const userId = await getUserId(owner);
      const end = async () => {
        await testEnv.DB.prepare("DELETE FROM sessions WHERE user_id = ?").bind(userId).run();
      };
      expect(await callLate(name, { ...owner, token: owner.session }, raw, end)).toMatchObject({
        code: "session_expired",
      });
      expect(await readSnapshot(owner)).toEqual(before);
    },
  );
});

describe("an owner who becomes a viewer after their call was checked", () => {
  it.each(everyNth(listOperations(WRITES), { sample: 3, first: 2 }))(
    "%s writes nothing if its owner becomes a viewer after the check",
    async (name, prepare) => {
      const owner = await signUp();
      const raw = await prepare(owner);
      const userId = await getUserId(owner);
      const { members: _members, ...before } = await readSnapshot(owner);
      const end = async () => {
        const sql = "UPDATE members SET role = 'viewer' WHERE user_id = ? AND workspace_id = ?";
        await testEnv.DB.prepare(sql).bind(userId, owner.workspace).run();
      };
      expect(await callLate(name, { ...owner, token: owner.session }, raw, end)).toMatchObject({
        code: "session_expired",
      });
      expect(await readSnapshot(owner)).toMatchObject(before);
    },
  );
});
