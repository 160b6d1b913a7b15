// A call whose rights end while it waits for a network writes nothing any more.
import { expect, it } from "vitest";
import { compose } from "../../src/compose.ts";
import type { Context } from "../../src/context.ts";
import { handlers } from "../../src/operations/index.ts";
import { CREDENTIALS } from "../support/credentials.ts";
import { testEnv } from "../support/env.ts";
import { mailsTo, tokenIn } from "../support/mails.ts";
import { join } from "../support/members.ts";
import { type Account, call, signUp, unique } from "../support/world.ts";

/** Connects an account at a network that answers only after `meanwhile`. */
async function connectSlowly(token: string, workspace: string, meanwhile: () => Promise<void>): Promise<unknown> {
  const ctx = compose(testEnv, () => {});
  let isDone = false;
  const slow: Context = {
    ...ctx,
    networkIO(platform) {
      const io = ctx.networkIO(platform);
      const fetchLate: typeof io.fetch = async (...request) => {
        if (!isDone) await meanwhile();
        isDone = true;
        return io.fetch(...request);
      };
      return { ...io, fetch: fetchLate };
    },
  };
  const body = { platform: "telegram", ...CREDENTIALS.telegram?.(unique("late")) };
  const raw = { params: {}, query: {}, body, idempotencyKey: null };
  const named = token.startsWith("sess_") ? [workspace] : [];
  return handlers["channels.connect"].invokeFor(slow, { token, workspaces: named }, async () => raw);
}

async function channelsOf({ workspace }: Account) {
  const { results } = await testEnv.DB.prepare("SELECT id FROM channels WHERE workspace_id = ? AND removed_at IS NULL")
    .bind(workspace)
    .all();
  return results;
}

it("connects an account that a slow network confirms", async () => {
  const account = await signUp();
  expect(await connectSlowly(account.key, account.workspace, async () => {})).toMatchObject({ status: 201 });
  expect(await channelsOf(account)).toHaveLength(1);
});

it("does not connect an account once its key is rotated", async () => {
  const account = await signUp();
  const rotate = async () => {
    const path = `/v1/workspaces/${account.workspace}/key/rotate`;
    expect((await call("POST", path, { token: account.session })).status).toBe(200);
  };
  await expect(connectSlowly(account.key, account.workspace, rotate)).rejects.toMatchObject({ code: "key_revoked" });
  expect(await channelsOf(account)).toEqual([]);
});

it("does not connect an account once its member is removed", async () => {
  const [owner, member] = [await signUp(), await signUp()];
  const id = await join(owner, member, "owner");
  const remove = async () => {
    const path = `/v1/workspaces/${owner.workspace}/members/${id}`;
    expect((await call("DELETE", path, { token: owner.session })).status).toBe(204);
  };
  const connecting = connectSlowly(member.session, owner.workspace, remove);
  await expect(connecting).rejects.toMatchObject({ code: "session_expired" });
  expect(await channelsOf(owner)).toEqual([]);
});

it("does not connect an account once the owner of the address has taken the account over", async () => {
  const account = await signUp();
  const { email } = account;
  const takeOver = async () => {
    await call("POST", "/v1/auth/forgot", { body: { email } });
    const body = { token: tokenIn((await mailsTo(email, 1))[0]), password: "a new password" };
    expect((await call("POST", "/v1/auth/reset", { body })).status).toBe(200);
  };
  const connecting = connectSlowly(account.session, account.workspace, takeOver);
  await expect(connecting).rejects.toMatchObject({ code: "session_expired" });
  expect(await channelsOf(account)).toEqual([]);
});
