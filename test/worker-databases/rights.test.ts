// Workspaces in another database than the accounts: a call that is under way when its rights end writes nothing there.
// In these tests the rights end while the batch of writes is on its way to the database, and the call that ends them is
// answered before the batch arrives.
import { describe, expect, it } from "vitest";
import { compose } from "../../src/compose.ts";
import type { OperationName } from "../../src/contract/index.ts";
import { SCOPES } from "../../src/domain/roles.ts";
import { handlers } from "../../src/operations/index.ts";
import { beforeWrite } from "../support/before-write.ts";
import { CREDENTIALS } from "../support/credentials.ts";
import { database, signUpIn } from "../support/databases.ts";
import { tomorrow } from "../support/dates.ts";
import { testEnv } from "../support/env.ts";
import { makeKey } from "../support/keys.ts";
import { mailsTo, tokenIn } from "../support/mails.ts";
import { join } from "../support/members.ts";
import { type Account, call, connect, post, signUp, unique } from "../support/world.ts";

const HOME = 1;
type Raw = { params?: object; body?: object };

/** Calls an operation, and runs `end` before its first batch of writes to the workspace's database. */
async function callLate(
  name: OperationName,
  token: string,
  { workspace }: Account,
  raw: Raw,
  end: () => Promise<void>,
) {
  let hasEnded = false;
  const DB_1 = beforeWrite(database(HOME), async () => {
    hasEnded = true;
    await end();
  });
  const later: Promise<unknown>[] = [];
  const ctx = compose({ ...testEnv, DB_1 }, (work) => void later.push(work));
  const credentials = { token, workspaces: token.startsWith("sess_") ? [workspace] : [] };
  const request = { params: {}, query: {}, body: undefined, idempotencyKey: null, ...raw };
  const answer = await handlers[name].invokeFor(ctx, credentials, async () => request).catch((error: unknown) => error);
  await Promise.all(later);
  expect(hasEnded).toBe(true);
  return answer;
}

const TABLES = ["posts", "deliveries", "webhooks", "slots", "channels", "media", "workspace_audit"];
async function readSnapshot({ workspace }: Account) {
  const rows = TABLES.map((table) =>
    database(HOME).prepare(`SELECT * FROM ${table} WHERE workspace_id = ?`).bind(workspace).all(),
  );
  return (await Promise.all(rows)).map(({ results }, i) => [TABLES[i], results]);
}

const expectDeleted = async (path: string, token: string) =>
  expect((await call("DELETE", path, { token })).status).toBeLessThan(300);

/** The callers, the ends of their rights, and the expected refusals. */
const ENDINGS: Record<string, (owner: Account) => Promise<{ token: string; end: () => Promise<void>; code: string }>> =
  {
    "its key is revoked": async (owner) => {
      const { id, key } = await makeKey(owner, { scopes: SCOPES });
      const end = () => expectDeleted(`/v1/workspaces/${owner.workspace}/keys/${id}`, owner.session);
      return { token: key, end, code: "key_revoked" };
    },
    "the workspace's key is rotated": async (owner) => {
      const path = `/v1/workspaces/${owner.workspace}/key/rotate`;
      const end = async () => expect((await call("POST", path, { token: owner.session })).status).toBe(200);
      return { token: owner.key, end, code: "key_revoked" };
    },
    "its member is removed": async (owner) => {
      const member = await signUp();
      const id = await join(owner, member, "owner");
      const end = () => expectDeleted(`/v1/workspaces/${owner.workspace}/members/${id}`, owner.session);
      return { token: member.session, end, code: "session_expired" };
    },
    "its member becomes a viewer": async (owner) => {
      const member = await signUp();
      const id = await join(owner, member, "owner");
      const path = `/v1/workspaces/${owner.workspace}/members/${id}`;
      const end = async () => {
        const answer = await call("PATCH", path, { token: owner.session, body: { role: "viewer" } });
        expect(answer.status).toBe(200);
      };
      return { token: member.session, end, code: "session_expired" };
    },
    "its session is signed out": async (owner) => {
      const end = async () =>
        expect((await call("POST", "/v1/auth/logout", { token: owner.session })).status).toBe(204);
      return { token: owner.session, end, code: "session_expired" };
    },
    "the owner of the address takes the account over": async (owner) => {
      const end = async () => {
        await call("POST", "/v1/auth/forgot", { body: { email: owner.email } });
        const body = { token: tokenIn((await mailsTo(owner.email, 1))[0]), password: "a new password" };
        expect((await call("POST", "/v1/auth/reset", { body })).status).toBe(200);
      };
      return { token: owner.session, end, code: "session_expired" };
    },
  };

/** Writes of each kind of caller. */
const WRITES: Partial<Record<OperationName, (owner: Account) => Promise<Raw>>> = {
  "posts.create": async (owner) => {
    const { id } = await connect(owner.key, "telegram");
    return { body: { text: "x", channels: [id], publish_at: tomorrow() } };
  },
  "posts.update": async (owner) => {
    const { id: channel } = await connect(owner.key, "telegram");
    const { id } = await post(owner.key, { text: "x", channels: [channel], publish_at: tomorrow() });
    return { params: { id }, body: { text: "y" } };
  },
  "channels.connect": async () => ({ body: { platform: "telegram", ...CREDENTIALS.telegram?.(unique("late")) } }),
};
const NAMES: OperationName[] = ["posts.create", "posts.update", "channels.connect"];

describe.each(Object.entries(ENDINGS))("a call during which %s", (ending, prepare) => {
  it.each(NAMES)("%s writes nothing", async (name) => {
    const owner = await signUpIn(HOME);
    const raw = await WRITES[name]?.(owner);
    const { token, end, code } = await prepare(owner);
    const before = await readSnapshot(owner);
    const answer = await callLate(name, token, owner, raw ?? {}, end);
    expect(answer).toMatchObject({ code });
    // A takeover empties the workspace itself.
    if (ending.includes("takes the account over")) expect(await countPublishable(owner)).toBe(0);
    else expect(await readSnapshot(owner)).toEqual(before);
  });
});

/** Counts what could still publish: scheduled posts and connected channels. */
async function countPublishable({ workspace }: Account) {
  const sql = `SELECT (SELECT COUNT(*) FROM posts WHERE workspace_id = ?1 AND status = 'scheduled')
    + (SELECT COUNT(*) FROM channels WHERE workspace_id = ?1 AND removed_at IS NULL) AS n`;
  return database(HOME).prepare(sql).bind(workspace).first<number>("n");
}

it("a call writes once if the rights of another caller end meanwhile", async () => {
  const owner = await signUpIn(HOME);
  const otherKey = await makeKey(owner, { scopes: SCOPES });
  const raw = await WRITES["posts.create"]?.(owner);
  const answer = await callLate("posts.create", owner.key, owner, raw ?? {}, () =>
    expectDeleted(`/v1/workspaces/${owner.workspace}/keys/${otherKey.id}`, owner.session),
  );
  expect(answer).toMatchObject({ status: 201 });
  const count = database(HOME).prepare("SELECT COUNT(*) AS n FROM posts WHERE workspace_id = ?").bind(owner.workspace);
  expect(await count.first("n")).toBe(1);
});
