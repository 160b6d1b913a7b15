// Mails to members whom a comment mentions.
import { expect, it } from "vitest";
import { testEnv } from "../../support/env.ts";
import { mailsTo } from "../../support/mails.ts";
import { asMember, join } from "../../support/members.ts";
import { type Account, call, post, signUp } from "../../support/world.ts";
import { ALL, saveSettings, signUpOwner, waitForMails } from "./mailed.ts";

/** A comment by a member on a draft of the owner's workspace. Returns its id. */
async function comment(owner: Account, member: Account, text: string): Promise<{ id: string; postId: string }> {
  await join(owner, member, "author");
  const { id: postId } = await post(owner.key, { text: "draft", draft: true });
  const answer = await call<{ id: string }>("POST", `/v1/posts/${postId}/comments`, {
    ...asMember(member, owner),
    body: { text },
  });
  expect(answer.status).toBe(201);
  return { id: answer.body.id, postId };
}

it("a mentioned member gets one mail with the comment and a link to its post, and its author gets none", async () => {
  const [owner, author] = [await signUpOwner(), await signUp()];
  const { id, postId } = await comment(owner, author, `Look, @${owner.email.toUpperCase()} and @${author.email}!`);
  const notice = await waitForMails(id);
  const [mail] = await mailsTo(owner.email, 1);
  expect(mail?.subject).toBe("Ada's workspace: Ada mentioned you in a comment");
  expect(mail?.text).toContain("Look, @");
  expect(mail?.text).toContain(`/posts/${postId}`);
  expect(JSON.parse(String(notice?.mailed))).toHaveLength(1);
});

it("a comment that mentions nobody, or a member who turned these mails off, sends none", async () => {
  const [unwilling, unmentioned] = [await signUpOwner(), await signUpOwner()];
  await saveSettings(unwilling, { ...ALL, mentioned: false });
  const first = await comment(unwilling, await signUp(), `@${unwilling.email}`);
  const second = await comment(unmentioned, await signUp(), "me@example.com");
  for (const { id } of [first, second]) expect(await waitForMails(id)).toMatchObject({ mailed: "[]" });
  await mailsTo(unwilling.email, 0);
  await mailsTo(unmentioned.email, 0);
});

it("a comment without an at sign leaves no notice", async () => {
  const owner = await signUpOwner();
  const { id } = await comment(owner, await signUp(), "Nobody in particular");
  expect(await testEnv.DB.prepare("SELECT subject FROM notices WHERE subject = ?").bind(id).first()).toBeNull();
});
