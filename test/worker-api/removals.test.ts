// Posts and files that are cancelled, discarded and deleted.
import { describe, expect, it } from "vitest";
import { compose } from "../../src/compose.ts";
import { SCOPES } from "../../src/domain/roles.ts";
import { removePost } from "../../src/operations/posts/remove.ts";
import { ask } from "../../src/store/db/batch.ts";
import { inDays } from "../support/dates.ts";
import { testEnv } from "../support/env.ts";
import {
  type Account,
  call,
  connect,
  finished,
  ledger,
  post,
  signUp,
  uploadImage,
  uploadVideo,
} from "../support/world.ts";
import { countPosts, patch } from "./edited-post.ts";

describe("PATCH and DELETE /v1/media/:id", () => {
  it("the alt text of a file can be set and removed, and each body must name it", async () => {
    const account = await signUp();
    const image = await uploadImage(account, { alt: "before" });
    const setAlt = (body: object) => call("PATCH", `/v1/media/${image.id}`, { token: account.key, body });
    expect(await setAlt({ alt: "a".repeat(2_000) })).toMatchObject({ status: 200, body: { alt: "a".repeat(2_000) } });
    expect(await setAlt({ alt: "a".repeat(2_001) })).toMatchObject({
      status: 422,
      body: { error: "alt_too_long", field: "/alt" },
    });
    expect(await setAlt({ alt: "   " })).toMatchObject({ status: 200, body: { alt: null } });
    expect(await setAlt({ alt: null })).toMatchObject({ status: 200, body: { alt: null } });
    expect(await setAlt({})).toMatchObject({ status: 422, body: { error: "alt_required", field: "/alt" } });
    expect(await setAlt({ alt: "x", url: "https://example.com/" })).toMatchObject({
      status: 422,
      body: { error: "unknown_field", field: "/url" },
    });
  });

  it("an alt text that is set after the post was scheduled is published", async () => {
    const account = await signUp();
    const channel = await connect(account.key, "bluesky");
    const image = await uploadImage(account, { alt: "before" });
    const { id } = await post(account.key, { media: [image.id], channels: [channel.id], publish_at: inDays(1) });
    await call("PATCH", `/v1/media/${image.id}`, { token: account.key, body: { alt: "after" } });
    await patch(account.key, id, { publish_at: null });
    await finished(account.key, id);
    expect((await ledger(channel.handle))[0]?.media[0]?.alt).toBe("after");
  });

  it("a file is deleted with its bytes, which return to the allowance, unless a post needs it", async () => {
    const account = await signUp();
    const channel = await connect(account.key, "bluesky");
    const [unusedFile, neededFile] = [await uploadImage(account), await uploadVideo(account, 100)];
    const scheduled = await post(account.key, {
      text: "x",
      draft: true,
      media: [neededFile.id],
      channels: [channel.id],
    });
    const readStagedBytes = async () =>
      (await call<{ media_bytes: { used: number } }>("GET", "/v1/usage", { token: account.key })).body.media_bytes.used;
    expect(await readStagedBytes()).toBe(unusedFile.bytes + neededFile.bytes);
    const remove = (id: string) => call("DELETE", `/v1/media/${id}`, { token: account.key });
    // Its upload address has expired, so nothing can be uploaded to it any more.
    await testEnv.DB.prepare("UPDATE media SET created_at = created_at - 90000000 WHERE id = ?")
      .bind(unusedFile.id)
      .run();
    expect((await remove(unusedFile.id)).status).toBe(204);
    expect(await testEnv.MEDIA?.head(`m/${account.workspace}/${unusedFile.id}`)).toBeNull();
    expect(await readStagedBytes()).toBe(neededFile.bytes);
    expect((await remove(unusedFile.id)).status).toBe(404);
    await testEnv.DB.prepare("UPDATE posts SET status = 'published' WHERE id = ?").bind(scheduled.id).run();
    expect(await remove(neededFile.id)).toMatchObject({ status: 409, body: { error: "media_in_use" } });
    expect(await readStagedBytes()).toBe(neededFile.bytes);
  });

  it("refuses to delete the logo of an open portal or connect link, names the portal, and deletes it afterwards", async () => {
    const account = await signUp();
    const { key } = account;
    const channel = await connect(key, "telegram");
    const { id: logo } = await uploadImage(account);
    const remove = () => call("DELETE", `/v1/media/${logo}`, { token: key });
    const brand = { name: "Ada & Co.", logo_media: logo };
    const portal = await call<{ id: string }>("POST", "/v1/portals", {
      token: key,
      body: { name: "Northwind", channels: [channel.id], brand },
    });
    expect(await remove()).toMatchObject({
      status: 409,
      body: {
        error: "media_in_use",
        message: 'The file is the logo of the portal "Northwind".',
        hint: expect.stringContaining(portal.body.id),
      },
    });
    const change = { token: key, body: { brand: { ...brand, logo_media: null } } };
    expect((await call("PATCH", `/v1/portals/${portal.body.id}`, change)).status).toBe(200);
    const link = await call("POST", "/v1/channels/connect", { token: key, body: { platform: "pinterest", brand } });
    expect(link.status).toBe(201);
    expect(await remove()).toMatchObject({ status: 409, body: { hint: expect.stringContaining("connected") } });
    await testEnv.DB.prepare("UPDATE connect_links SET expires_at = 1 WHERE workspace_id = ?")
      .bind(account.workspace)
      .run();
    expect((await remove()).status).toBe(204);
  });
});

describe("DELETE /v1/posts/:id", () => {
  /** Starts a cancellation, which pauses after its reads. Returns a function that finishes it. */
  async function startRemoval({ workspace }: Account, id: string) {
    const ctx = compose(testEnv, () => {});
    const db = ctx.databaseOf(workspace);
    const input = { params: { id }, query: undefined, body: undefined, idempotencyKey: null };
    const first = await ask(db, removePost.read(ctx, db, workspace, input));
    return () =>
      removePost.run(
        ctx,
        {
          kind: "key",
          keyId: "key_1",
          name: "Key",
          workspaceId: workspace,
          scopes: SCOPES,
          channels: null,
          budget: null,
        },
        input,
        first,
      );
  }

  it("a cancellation discards a post that an edit turns into a draft meanwhile, so that it cannot be released", async () => {
    const account = await signUp();
    const channel = await connect(account.key, "telegram");
    const { id } = await post(account.key, { text: "x", channels: [channel.id], publish_at: inDays(1) });
    const finishRemoval = await startRemoval(account, id);
    expect(await patch(account.key, id, { draft: true })).toMatchObject({ status: 200, body: { status: "draft" } });
    expect(await finishRemoval()).toEqual({ status: 204, body: undefined });
    expect(await patch(account.key, id, { draft: false })).toMatchObject({ status: 404, body: { error: "not_found" } });
    expect(await countPosts(account)).toBe(0);
  });

  it("a cancellation cancels a draft that an edit releases meanwhile", async () => {
    const account = await signUp();
    const channel = await connect(account.key, "telegram");
    const { id } = await post(account.key, { text: "x", channels: [channel.id], publish_at: inDays(1), draft: true });
    const finishRemoval = await startRemoval(account, id);
    expect(await patch(account.key, id, { draft: false })).toMatchObject({ status: 200 });
    expect(await finishRemoval()).toMatchObject({ status: 200, body: { status: "cancelled" } });
  });

  it("a cancellation does not claim to have cancelled a post that was published meanwhile", async () => {
    const account = await signUp();
    const channel = await connect(account.key, "telegram");
    const { id } = await post(account.key, { text: "x", channels: [channel.id], publish_at: inDays(1) });
    const finishRemoval = await startRemoval(account, id);
    expect(await patch(account.key, id, { publish_at: null })).toMatchObject({ status: 200 });
    await finished(account.key, id);
    await expect(finishRemoval()).rejects.toMatchObject({ code: "post_finished" });
  });
});
