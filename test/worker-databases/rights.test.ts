// Workspaces in another database than the accounts: a call that is under way when its rights end writes nothing there, however late
// they end. Here they end, and the act that ends them is answered, while the batch that writes is on its way to the database.
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

/** Calls an operation, and has `end` happen before the first batch that it writes to the workspace's database. */
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
  const sent = { params: {}, query: {}, body: undefined, idempotencyKey: null, ...raw };
  const answer = await handlers[name].invokeFor(ctx, credentials, async () => sent).catch((error: unknown) => error);
  await Promise.all(later);
  expect(hasEnded).toBe(true);
  return answer;
}

const TABLES = ["posts", "deliveries", "webhooks", "slots", "channels", "media", "workspace_audit"];
async function snapshot({ workspace }: Account) {
  const rows = TABLES.map((table) =>
    database(HOME).prepare(`SELECT * FROM ${table} WHERE workspace_id = ?`).bind(workspace).all(),
  );
  return (await Promise.all(rows)).map(({ results }, i) => [TABLES[i], results]);
}

const deleted = async (path: string, token: string) =>
  expect((await call("DELETE", path, { token })).status).toBeLessThan(300);

/** Who calls, how their rights end, and with which refusal. */
const ENDINGS: Record<string, (owner: Account) => Promise<{ token: string; end: () => Promise<void>; code: string }>> =
  {
    "its key is revoked": async (owner) => {
      const { id, key } = await makeKey(owner, { scopes: SCOPES });
      const end = () => deleted(`/v1/workspaces/${owner.workspace}/keys/${id}`, owner.session);
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
      const end = () => deleted(`/v1/workspaces/${owner.workspace}/members/${id}`, owner.session);
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

/** What is written there by every kind of caller. */
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

describe.each(Object.entries(ENDINGS))("nothing is written once %s:", (how, prepare) => {
  it.each(NAMES)("%s", async (name) => {
    const owner = await signUpIn(HOME);
    const raw = await WRITES[name]?.(owner);
    const { token, end, code } = await prepare(owner);
    const before = await snapshot(owner);
    const answer = await callLate(name, token, owner, raw ?? {}, end);
    expect(answer).toMatchObject({ code });
    // A take-over empties the workspace by itself.
    if (how.includes("takes the account over")) expect(await postsToGoOut(owner)).toBe(0);
    else expect(await snapshot(owner)).toEqual(before);
  });
});

/** What is left that could publish: posts that are scheduled, and channels that are connected. */
async function postsToGoOut({ workspace }: Account) {
  const sql = `SELECT (SELECT COUNT(*) FROM posts WHERE workspace_id = ?1 AND status = 'scheduled')
    + (SELECT COUNT(*) FROM channels WHERE workspace_id = ?1 AND removed_at IS NULL) AS n`;
  return database(HOME).prepare(sql).bind(workspace).first<number>("n");
}

it("is written once when the rights of somebody else end meanwhile", async () => {
  const owner = await signUpIn(HOME);
  const other = await makeKey(owner, { scopes: SCOPES });
  const raw = await WRITES["posts.create"]?.(owner);
  const answer = await callLate("posts.create", owner.key, owner, raw ?? {}, () =>
    deleted(`/v1/workspaces/${owner.workspace}/keys/${other.id}`, owner.session),
  );
  expect(answer).toMatchObject({ status: 201 });
  const count = database(HOME).prepare("SELECT COUNT(*) AS n FROM posts WHERE workspace_id = ?").bind(owner.workspace);
  expect(await count.first("n")).toBe(1);
});
