// A call whose rights end while it waits for a network has no effect.
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
  const workspaces = token.startsWith("sess_") ? [workspace] : [];
  return handlers["channels.connect"].invokeFor(slow, { token, workspaces }, async () => raw);
}

async function listChannels({ workspace }: Account) {
  const { results } = await testEnv.DB.prepare("SELECT id FROM channels WHERE workspace_id = ? AND removed_at IS NULL")
    .bind(workspace)
    .all();
  return results;
}

it("an account is connected once a slow network has confirmed it", async () => {
  const account = await signUp();
  expect(await connectSlowly(account.key, account.workspace, async () => {})).toMatchObject({ status: 201 });
  expect(await listChannels(account)).toHaveLength(1);
});

it("an account is not connected once the key has been rotated", async () => {
  const account = await signUp();
  const rotate = async () => {
    const path = `/v1/workspaces/${account.workspace}/key/rotate`;
    expect((await call("POST", path, { token: account.session })).status).toBe(200);
  };
  await expect(connectSlowly(account.key, account.workspace, rotate)).rejects.toMatchObject({ code: "key_revoked" });
  expect(await listChannels(account)).toEqual([]);
});

it("an account is not connected once the member has been removed", async () => {
  const [owner, member] = [await signUp(), await signUp()];
  const id = await join(owner, member, "owner");
  const remove = async () => {
    const path = `/v1/workspaces/${owner.workspace}/members/${id}`;
    expect((await call("DELETE", path, { token: owner.session })).status).toBe(204);
  };
  const connecting = connectSlowly(member.session, owner.workspace, remove);
  await expect(connecting).rejects.toMatchObject({ code: "session_expired" });
  expect(await listChannels(owner)).toEqual([]);
});

it("an account is not connected once the owner of the email address has taken over the caller's account", async () => {
  const account = await signUp();
  const { email } = account;
  const takeOver = async () => {
    await call("POST", "/v1/auth/forgot", { body: { email } });
    const body = { token: tokenIn((await mailsTo(email, 1))[0]), password: "a new password" };
    expect((await call("POST", "/v1/auth/reset", { body })).status).toBe(200);
  };
  const connecting = connectSlowly(account.session, account.workspace, takeOver);
  await expect(connecting).rejects.toMatchObject({ code: "session_expired" });
  expect(await listChannels(account)).toEqual([]);
});
