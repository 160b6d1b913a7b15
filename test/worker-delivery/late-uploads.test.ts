// An upload URL stays valid after the rights of its requester have ended. Bytes that arrive afterwards are never used.
// Bytes that arrived before stay usable.
import { createExecutionContext } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { makePng } from "../../scripts/local/png.ts";
import { SCOPES } from "../../src/domain/roles.ts";
import worker from "../../src/index.ts";
import { tomorrow } from "../support/dates.ts";
import { testEnv } from "../support/env.ts";
import { makeKey, revoke } from "../support/keys.ts";
import { age } from "../support/lanes.ts";
import { DAY_MS, finishedInTime } from "../support/machine.ts";
import { mailsTo, tokenIn } from "../support/mails.ts";
import { join } from "../support/members.ts";
import { type Account, call, connect, post, signUp } from "../support/world.ts";
import { getFile, passTime, sweep, withoutSweeper } from "./maintenance/swept-files.ts";

withoutSweeper();

const BYTES = new Uint8Array(makePng(64, 48, 7));

/** Requests an upload URL with a token; `arrive` is the PUT to it. */
async function requestUpload(token: string, { workspace }: Account) {
  const answer = await call<{ public_url: string; media: { id: string } }>("POST", "/v1/media/upload-url", {
    token,
    headers: { "x-workspace": workspace },
    body: { content_type: "image/png", bytes: BYTES.byteLength },
  });
  expect(answer.status).toBe(201);
  const { id } = answer.body.media;
  const arrive = async () => {
    await testEnv.MEDIA?.put(`m/${workspace}/${id}`, BYTES, { httpMetadata: { contentType: "image/png" } });
  };
  const isPubliclyReadable = async () => {
    const response = await worker.fetch(new Request(answer.body.public_url), testEnv, createExecutionContext());
    return response.status === 200;
  };
  return { id, arrive, isShown: isPubliclyReadable };
}

type Ending = (owner: Account) => Promise<{ token: string; end: () => Promise<void>; ownToken: () => string }>;
const expectSuccess = async (answer: Promise<{ status: number }>) => expect((await answer).status).toBeLessThan(300);

/**
 * For each case: the token that requests the URL, how the requester's rights end, and the token that the workspace has
 * afterwards.
 */
const ENDINGS: Record<string, Ending> = {
  "its key was revoked": async (owner) => {
    const { id, key } = await makeKey(owner, { scopes: SCOPES });
    return { token: key, end: () => expectSuccess(revoke(owner, id)), ownToken: () => owner.key };
  },
  "the workspace's key was rotated": async (owner) => {
    let key = "";
    const end = async () => {
      const path = `/v1/workspaces/${owner.workspace}/key/rotate`;
      key = (await call<{ key: string }>("POST", path, { token: owner.session })).body.key;
    };
    return { token: owner.key, end, ownToken: () => key };
  },
  "its member was removed": async (owner) => {
    const member = await signUp();
    const path = `/v1/workspaces/${owner.workspace}/members/${await join(owner, member, "publisher")}`;
    const end = () => expectSuccess(call("DELETE", path, { token: owner.session }));
    return { token: member.session, end, ownToken: () => owner.key };
  },
  "its member became a viewer": async (owner) => {
    const member = await signUp();
    const path = `/v1/workspaces/${owner.workspace}/members/${await join(owner, member, "publisher")}`;
    const end = () => expectSuccess(call("PATCH", path, { token: owner.session, body: { role: "viewer" } }));
    return { token: member.session, end, ownToken: () => owner.key };
  },
  "its member signed out": async (owner) => {
    const member = await signUp();
    await join(owner, member, "publisher");
    const end = () => expectSuccess(call("POST", "/v1/auth/logout", { token: member.session }));
    return { token: member.session, end, ownToken: () => owner.key };
  },
  "the owner of the address took the account over": async (owner) => {
    let session = "";
    const end = async () => {
      await call("POST", "/v1/auth/forgot", { body: { email: owner.email } });
      const body = { token: tokenIn((await mailsTo(owner.email, 1))[0]), password: "a new password" };
      session = (await call<{ token: string }>("POST", "/v1/auth/reset", { body })).body.token;
    };
    return { token: owner.session, end, ownToken: () => session };
  },
};

describe.each(Object.entries(ENDINGS))("an upload whose URL was issued before %s", (_how, prepare) => {
  it("cannot be used or read if it arrives afterwards", async () => {
    const owner = await signUp();
    const { token, end, ownToken } = await prepare(owner);
    const [late, missing, early] = [
      await requestUpload(token, owner),
      await requestUpload(token, owner),
      await requestUpload(token, owner),
    ];
    await early.arrive();
    await end();
    await late.arrive();
    const draft = (id: string) =>
      call("POST", "/v1/posts", {
        token: ownToken(),
        headers: { "x-workspace": owner.workspace },
        body: { text: "x", media: [id], draft: true },
      });
    for (const { id, isShown } of [late, missing]) {
      const refused = await draft(id);
      expect(refused).toMatchObject({ status: 422, body: { error: "unknown_media", field: "/media/0" } });
      expect(await isShown()).toBe(false);
    }
    expect((await draft(early.id)).status).toBe(201);
    expect(await early.isShown()).toBe(true);
  });
});

it("fails a post whose upload arrives after its key was revoked, and sends nothing of the file", async () => {
  const owner = await signUp();
  const { id, key } = await makeKey(owner, { scopes: SCOPES });
  const channel = await connect(owner.key, "telegram");
  const upload = await requestUpload(key, owner);
  const createdPost = await post(key, {
    text: "x",
    channels: [channel.id],
    media: [upload.id],
    publish_at: tomorrow(),
  });
  await expectSuccess(revoke(owner, id));
  await upload.arrive();
  await age(createdPost.id, DAY_MS);
  const finished = await finishedInTime(owner.workspace, owner.key, createdPost.id);
  expect(finished.deliveries).toMatchObject([{ status: "failed", error: "media_missing" }]);
});

it("keeps an upload that arrived before its key was revoked, and expires an upload that arrived afterwards", async () => {
  const owner = await signUp();
  const { id, key } = await makeKey(owner, { scopes: SCOPES });
  const [early, late] = [await requestUpload(key, owner), await requestUpload(key, owner)];
  await early.arrive();
  await expectSuccess(revoke(owner, id));
  await late.arrive();
  for (const upload of [early, late]) await passTime(upload.id, 2 * DAY_MS);
  await sweep();
  expect(await getFile(owner, early.id)).toMatchObject({ state: "ready" });
  expect(await getFile(owner, late.id)).toMatchObject({ state: "expired" });
});
