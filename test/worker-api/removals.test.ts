// Posts and files that are edited no more: cancelled, discarded and deleted.
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
  it("the alt text is set, removed, and named by every body", async () => {
    const account = await signUp();
    const image = await uploadImage(account, { alt: "before" });
    const set = (body: object) => call("PATCH", `/v1/media/${image.id}`, { token: account.key, body });
    expect(await set({ alt: "a".repeat(2_000) })).toMatchObject({ status: 200, body: { alt: "a".repeat(2_000) } });
    expect(await set({ alt: "a".repeat(2_001) })).toMatchObject({
      status: 422,
      body: { error: "alt_too_long", field: "/alt" },
    });
    expect(await set({ alt: "   " })).toMatchObject({ status: 200, body: { alt: null } });
    expect(await set({ alt: null })).toMatchObject({ status: 200, body: { alt: null } });
    expect(await set({})).toMatchObject({ status: 422, body: { error: "alt_required", field: "/alt" } });
    expect(await set({ alt: "x", url: "https://example.com/" })).toMatchObject({
      status: 422,
      body: { error: "unknown_field", field: "/url" },
    });
  });

  it("an alt text that is set after the post was scheduled is the one that is published", async () => {
    const account = await signUp();
    const channel = await connect(account.key, "bluesky");
    const image = await uploadImage(account, { alt: "before" });
    const { id } = await post(account.key, { media: [image.id], channels: [channel.id], publish_at: inDays(1) });
    await call("PATCH", `/v1/media/${image.id}`, { token: account.key, body: { alt: "after" } });
    await patch(account.key, id, { publish_at: null });
    await finished(account.key, id);
    expect((await ledger(channel.handle))[0]?.media[0]?.alt).toBe("after");
  });

  it("a file is deleted with its bytes, which come back to the allowance, unless a post needs it", async () => {
    const account = await signUp();
    const channel = await connect(account.key, "bluesky");
    const [free, needed] = [await uploadImage(account), await uploadVideo(account, 100)];
    const scheduled = await post(account.key, { text: "x", draft: true, media: [needed.id], channels: [channel.id] });
    const staged = async () =>
      (await call<{ media_bytes: { used: number } }>("GET", "/v1/usage", { token: account.key })).body.media_bytes.used;
    expect(await staged()).toBe(free.bytes + needed.bytes);
    const remove = (id: string) => call("DELETE", `/v1/media/${id}`, { token: account.key });
    // Its address has ended: nothing can be uploaded to it any more.
    await testEnv.DB.prepare("UPDATE media SET created_at = created_at - 90000000 WHERE id = ?").bind(free.id).run();
    expect((await remove(free.id)).status).toBe(204);
    expect(await testEnv.MEDIA?.head(`m/${account.workspace}/${free.id}`)).toBeNull();
    expect(await staged()).toBe(needed.bytes);
    expect((await remove(free.id)).status).toBe(404);
    await testEnv.DB.prepare("UPDATE posts SET status = 'published' WHERE id = ?").bind(scheduled.id).run();
    expect(await remove(needed.id)).toMatchObject({ status: 409, body: { error: "media_in_use" } });
    expect(await staged()).toBe(needed.bytes);
  });
});

describe("DELETE /v1/posts/:id", () => {
  /** A cancel that has read the post as it is now, and goes on when it is told to. */
  async function begun({ workspace }: Account, id: string) {
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

  it("discards what an edit pulls back to a draft meanwhile: nobody releases what was cancelled", async () => {
    const account = await signUp();
    const channel = await connect(account.key, "telegram");
    const { id } = await post(account.key, { text: "x", channels: [channel.id], publish_at: inDays(1) });
    const goOn = await begun(account, id);
    expect(await patch(account.key, id, { draft: true })).toMatchObject({ status: 200, body: { status: "draft" } });
    expect(await goOn()).toEqual({ status: 204, body: undefined });
    expect(await patch(account.key, id, { draft: false })).toMatchObject({ status: 404, body: { error: "not_found" } });
    expect(await countPosts(account)).toBe(0);
  });

  it("cancels what an edit releases meanwhile", async () => {
    const account = await signUp();
    const channel = await connect(account.key, "telegram");
    const { id } = await post(account.key, { text: "x", channels: [channel.id], publish_at: inDays(1), draft: true });
    const goOn = await begun(account, id);
    expect(await patch(account.key, id, { draft: false })).toMatchObject({ status: 200 });
    expect(await goOn()).toMatchObject({ status: 200, body: { status: "cancelled" } });
  });

  it("does not say that it cancelled what went out meanwhile", async () => {
    const account = await signUp();
    const channel = await connect(account.key, "telegram");
    const { id } = await post(account.key, { text: "x", channels: [channel.id], publish_at: inDays(1) });
    const goOn = await begun(account, id);
    expect(await patch(account.key, id, { publish_at: null })).toMatchObject({ status: 200 });
    await finished(account.key, id);
    await expect(goOn()).rejects.toMatchObject({ code: "post_finished" });
  });
});
