// The approved bytes are the published bytes. All files have arrived before approval is requested, and from then on
// their upload addresses have no effect.

import { exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { makePng } from "../../scripts/local/png.ts";
import { uploadKey } from "../../src/domain/media/object-key.ts";
import { inDays, tomorrow } from "../support/dates.ts";
import { sha256 } from "../support/digests.ts";
import { testEnv } from "../support/env.ts";
import { asMember } from "../support/members.ts";
import { type Account, call, finished, ledger, upload } from "../support/world.ts";
import { openTeam } from "./approvals.ts";
import { createReviewPath, openReview } from "./reviewed-post.ts";

const [FIRST, SECOND] = [png(0), png(200)];
const BUCKET = testEnv.MEDIA ?? expect.fail("no bucket");

function png(shade: number) {
  return new Uint8Array(makePng(64, 48, shade));
}
/** Announces a file whose bytes have not arrived yet. */
async function announceUpload(owner: Account, bytes = FIRST): Promise<string> {
  const body = { content_type: "image/png", bytes: bytes.byteLength };
  const answer = await call<{ media: { id: string } }>("POST", "/v1/media/upload-url", { token: owner.key, body });
  expect(answer.status).toBe(201);
  return answer.body.media.id;
}
/** Has the effect of a PUT to the upload address of a file. */
const putUpload = ({ workspace: workspaceId }: Account, id: string, bytes: Uint8Array<ArrayBuffer>) =>
  BUCKET.put(uploadKey({ workspaceId, id }), bytes, { httpMetadata: { contentType: "image/png" } });

const fetchFile = async ({ workspace: workspaceId }: Account, id: string) => {
  const response = await exports.default.fetch(
    new Request(`http://media.crier.test/${uploadKey({ workspaceId, id })}`),
  );
  return { status: response.status, sha256: await sha256(await response.arrayBuffer()) };
};
const missingFile = (field: string) => ({ status: 422, body: { error: "media_not_uploaded", field } });
const waitingStatus = { status: "awaiting_approval" };

describe("a post with an upload that has not arrived", () => {
  it("no call makes a post wait for approval while a file is missing, and the missing file is named", async () => {
    const { owner, author, channel, create, patch } = await openTeam();
    const id = await announceUpload(owner);
    expect(await create(author, { media: [id] })).toMatchObject(missingFile("/media/0"));
    expect(await create(author, { media: [id], dry_run: true })).toMatchObject(missingFile("/media/0"));
    expect(await create(author, { overrides: { [channel.id]: { media: [id] } } })).toMatchObject(
      missingFile(`/overrides/${channel.id}/media/0`),
    );
    const { body: draft } = await create(author, { media: [id], draft: true });
    expect(draft.status).toBe("draft");
    expect(await patch(author, draft.id, { draft: false })).toMatchObject(missingFile("/media/0"));
    const { body: waiting } = await create(author);
    expect(waiting).toMatchObject(waitingStatus);
    expect(await patch(author, waiting.id, { media: [id] })).toMatchObject(missingFile("/media/0"));
    const lines = `${JSON.stringify({ text: "x", channels: [channel.id], media: [id], publish_at: tomorrow() })}\n`;
    const imported = await call("POST", "/v1/posts/import", {
      ...asMember(author, owner),
      headers: { ...asMember(author, owner).headers, "content-type": "application/x-ndjson" },
      body: lines,
    });
    expect(imported).toMatchObject({
      status: 200,
      body: { created: 0, rows: [{ valid: false, violations: [{ code: "media_not_uploaded", field: "/media/0" }] }] },
    });
    expect((await call("GET", "/v1/posts?status=awaiting_approval", { token: owner.key })).body.posts).toHaveLength(1);
    // A caller with the right to publish can queue the post.
    expect((await create(owner, { media: [id] })).body.status).toBe("scheduled");
    await putUpload(owner, id, FIRST);
    expect((await patch(author, draft.id, { draft: false })).body).toMatchObject(waitingStatus);
  });

  it("a waiting post is not approved while a file is missing", async () => {
    const { owner, author, publisher, create, approve } = await openTeam();
    const { id } = await upload(owner, FIRST, "image/png");
    const { body: waiting } = await create(author, { media: [id] });
    await testEnv.DB.prepare("UPDATE media SET state = 'awaiting_upload', etag = NULL, object_key = ? WHERE id = ?")
      .bind("m/nowhere", id)
      .run();
    expect(await approve(publisher, waiting.id, { rev: waiting.rev })).toMatchObject(missingFile("/media/0"));
  });
});

describe("a decision on reviewed content", () => {
  it("a decision is bound to the reviewed texts, options and files", async () => {
    const { owner, author, publisher, create, patch, approve, decline } = await openTeam();
    const files = await Promise.all([FIRST, SECOND].map((bytes) => upload(owner, bytes, "image/png")));
    const { body: waiting } = await create(author, { media: [files[0]?.id], text: "one" });
    const tags = [waiting.content_tag];
    for (const edit of [
      { text: "two" },
      { media: [files[1]?.id] },
      { overrides: { [waiting.channels[0] ?? ""]: { silent: true } } },
    ])
      tags.push((await patch(author, waiting.id, edit)).body.content_tag);
    expect(new Set(tags).size).toBe(4);
    const { rev } = (await call<{ rev: number }>("GET", `/v1/posts/${waiting.id}`, { token: owner.key })).body;
    const changed = {
      status: 412,
      body: { error: "post_changed", field: "/content_tag", current: { rev, content_tag: tags[3] } },
    };
    expect(await approve(publisher, waiting.id, { rev, content_tag: tags[0] })).toMatchObject(changed);
    expect(await decline(publisher, waiting.id, { reason: "No.", content_tag: tags[1] })).toMatchObject(changed);
    // A new time does not change the content.
    const moved = await patch(author, waiting.id, { publish_at: inDays(40) });
    expect(moved.body.content_tag).toBe(tags[3]);
    const { rev: latestRev, content_tag } = moved.body;
    expect(await approve(publisher, waiting.id, { rev: latestRev, content_tag })).toMatchObject({ status: 200 });
  });

  it("the content tag changes once a missing file has arrived", async () => {
    const { owner, author, create, patch } = await openTeam();
    const id = await announceUpload(owner);
    const { body: draft } = await create(author, { media: [id], draft: true });
    await putUpload(owner, id, FIRST);
    const { body: waiting } = await patch(author, draft.id, { draft: false });
    expect(waiting).toMatchObject(waitingStatus);
    expect(waiting.content_tag).not.toBe(draft.content_tag);
  });

  it("a review link accepts no decision once the content has changed, even if the revision is the same", async () => {
    const { owner, author, create } = await openTeam();
    const { body: waiting } = await create(author);
    const link = await createReviewPath({ owner, waitingPost: waiting });
    expect((await openReview(link)).status).toBe(200);
    await testEnv.DB.prepare("UPDATE posts SET content_tag = 'other' WHERE id = ?").bind(waiting.id).run();
    expect(await (await openReview(link)).text()).toContain("This post was changed");
  });
});

describe("an upload after its post began to wait", () => {
  it("a late upload does not change the content that is shown, approved and published", async () => {
    const { owner, author, publisher, channel, create, approve } = await openTeam();
    const { id } = await upload(owner, FIRST, "image/png");
    const { body: waiting } = await create(author, { media: [id], publish_at: null });
    expect(waiting).toMatchObject(waitingStatus);
    await putUpload(owner, id, SECOND);
    const first = { status: 200, sha256: await sha256(FIRST) };
    expect(await fetchFile(owner, id)).toEqual(first);
    const page = await (await openReview(await createReviewPath({ owner, waitingPost: waiting }))).text();
    const address = /src="([^"]+\/[0-9a-f]{32}\/file\.png)"/.exec(page)?.[1] ?? expect.fail("the page shows no file");
    const response = await exports.default.fetch(new Request(address));
    expect([response.status, await sha256(await response.arrayBuffer())]).toEqual([200, first.sha256]);
    expect(await approve(publisher, waiting.id, { rev: waiting.rev })).toMatchObject({ status: 200 });
    await putUpload(owner, id, SECOND);
    expect((await finished(owner.key, waiting.id)).status).toBe("published");
    expect((await ledger(channel.handle)).flatMap(({ media }) => media.map((file) => file.sha256))).toEqual([
      first.sha256,
    ]);
    expect(await fetchFile(owner, id)).toEqual(first);
  });

  it("a late upload has no effect if several posts began to wait with the same file at once", async () => {
    const { owner, author, create } = await openTeam();
    const { id } = await upload(owner, FIRST, "image/png");
    const posts = await Promise.all([1, 2, 3].map(() => create(author, { media: [id] })));
    expect(posts.map(({ body }) => body.status)).toEqual([
      "awaiting_approval",
      "awaiting_approval",
      "awaiting_approval",
    ]);
    await putUpload(owner, id, SECOND);
    expect(await fetchFile(owner, id)).toEqual({ status: 200, sha256: await sha256(FIRST) });
    const { results } = await testEnv.DB.prepare(
      "SELECT object_key AS key FROM discarded_objects WHERE workspace_id = ?",
    )
      .bind(owner.workspace)
      .all<{ key: string }>();
    const row = await testEnv.DB.prepare("SELECT object_key AS key FROM media WHERE id = ?")
      .bind(id)
      .first<{ key: string }>();
    // Objects without a reference are noted for deletion, and the object of the file's row is not.
    expect(results.map(({ key }) => key)).toContain(uploadKey({ workspaceId: owner.workspace, id }));
    expect(results.map(({ key }) => key)).not.toContain(row?.key);
    const { objects } = await BUCKET.list({ prefix: `m/${owner.workspace}/sealed/` });
    expect(objects.map(({ key }) => key).sort()).toEqual(
      [row?.key, ...results.map(({ key }) => key).filter((key) => key.includes("/sealed/"))].sort(),
    );
  });

  it("a draft whose file was replaced by another upload is refused when it is released", async () => {
    const { owner, author, create, patch } = await openTeam();
    const { id } = await upload(owner, FIRST, "image/png");
    const { body: draft } = await create(author, { media: [id], draft: true });
    await putUpload(owner, id, SECOND);
    expect(await patch(author, draft.id, { draft: false })).toMatchObject({
      status: 422,
      body: { error: "unknown_media", field: "/media/0" },
    });
  });
});
