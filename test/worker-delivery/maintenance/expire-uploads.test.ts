// Uploads that never arrived, or arrive late, and the bytes that they hold.
import { expect, it } from "vitest";
import { testEnv } from "../../support/env.ts";
import { call, post, signUp, uploadImage } from "../../support/world.ts";
import { DAY_MS, file, pass, staged, stored, sweep, withoutSweeper } from "./swept-files.ts";

withoutSweeper();

it("an upload that never arrived gives its bytes back a day after its address has ended; one that did is ready", async () => {
  const account = await signUp();
  const request = async () => {
    const body = { content_type: "image/png", bytes: 5_000 };
    const answer = await call<{ media: { id: string } }>("POST", "/v1/media/upload-url", { token: account.key, body });
    return answer.body.media.id;
  };
  const [lost, young, arrived] = [await request(), await request(), await uploadImage(account)];
  const draft = await post(account.key, { text: "x", media: [lost], draft: true });
  await pass(lost, DAY_MS + 15 * 60_000);
  await pass(young, DAY_MS);
  await pass(arrived.id, DAY_MS + 15 * 60_000);
  await sweep();
  await sweep();
  expect(await file(account, lost)).toMatchObject({ state: "expired", expires_at: expect.any(String) });
  expect(await file(account, young)).toMatchObject({ state: "awaiting_upload", expires_at: null });
  expect(await file(account, arrived.id)).toMatchObject({ state: "ready", expires_at: null });
  expect(await staged(account)).toBe(5_000 + arrived.bytes);
  const released = await call("PATCH", `/v1/posts/${draft.id}`, { token: account.key, body: { text: "y" } });
  expect(released).toMatchObject({ status: 422, body: { error: "unknown_media", field: "/media/0" } });
});

it("bytes that arrive at the address of a deleted file count, and are deleted once nothing can arrive any more", async () => {
  const account = await signUp();
  const image = await uploadImage(account);
  expect((await call("DELETE", `/v1/media/${image.id}`, { token: account.key })).status).toBe(204);
  expect(await staged(account)).toBe(image.bytes);
  expect(await stored(account, image.id)).toBe(false);
  const key = `m/${account.workspace}/${image.id}`;
  await testEnv.MEDIA?.put(key, "late");
  await sweep();
  expect(await stored(account, image.id)).toBe(true);
  await testEnv.DB.prepare("UPDATE discarded_objects SET next_at = next_at - ? WHERE object_key = ?")
    .bind(DAY_MS + 15 * 60_000, key)
    .run();
  await sweep();
  expect(await stored(account, image.id)).toBe(false);
  expect(await staged(account)).toBe(0);
  const left = await testEnv.DB.prepare("SELECT COUNT(*) AS n FROM discarded_objects WHERE object_key = ?")
    .bind(key)
    .first("n");
  expect(left).toBe(0);
});

it("a ceiling is not got round by deleting files whose addresses still take an upload, also by many at once", async () => {
  const account = await signUp();
  await testEnv.DB.prepare("UPDATE workspaces SET plan = 'free' WHERE id = ?").bind(account.workspace).run();
  const body = { content_type: "video/mp4", bytes: 512 * 1024 * 1024 };
  const request = () => call<{ media: { id: string } }>("POST", "/v1/media/upload-url", { token: account.key, body });
  const addresses = await Promise.all(
    Array.from({ length: 5 }, async () => {
      const answer = await request();
      if (answer.status === 201) {
        const removed = await call("DELETE", `/v1/media/${answer.body.media.id}`, { token: account.key });
        expect(removed.status).toBe(204);
      }
      return answer.status;
    }),
  );
  expect(addresses.sort()).toEqual([201, 201, 402, 402, 402]);
  expect(await request()).toMatchObject({ status: 402, body: { limit: "media_bytes", used: 2 * body.bytes } });
  await testEnv.DB.prepare("UPDATE discarded_objects SET next_at = next_at - ? WHERE workspace_id = ?")
    .bind(DAY_MS + 15 * 60_000, account.workspace)
    .run();
  await sweep();
  await sweep();
  expect(await staged(account)).toBe(0);
  expect((await request()).status).toBe(201);
});

it("a file whose address has ended gives its bytes back when it is deleted", async () => {
  const account = await signUp();
  const image = await uploadImage(account);
  await pass(image.id, DAY_MS + 15 * 60_000);
  expect((await call("DELETE", `/v1/media/${image.id}`, { token: account.key })).status).toBe(204);
  expect(await staged(account)).toBe(0);
  expect(await stored(account, image.id)).toBe(false);
});
