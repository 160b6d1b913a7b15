// Uploads that never arrive or arrive late, and the bytes reserved for them.
import { expect, it } from "vitest";
import { testEnv } from "../../support/env.ts";
import { call, post, signUp, uploadImage } from "../../support/world.ts";
import { DAY_MS, getFile, getStagedBytes, isStored, passTime, sweep, withoutSweeper } from "./swept-files.ts";

withoutSweeper();

it("releases the bytes of a missing upload a day after its URL has expired, and keeps an upload that arrived", async () => {
  const account = await signUp();
  const request = async () => {
    const body = { content_type: "image/png", bytes: 5_000 };
    const answer = await call<{ media: { id: string } }>("POST", "/v1/media/upload-url", { token: account.key, body });
    return answer.body.media.id;
  };
  const [missing, young, arrived] = [await request(), await request(), await uploadImage(account)];
  const draft = await post(account.key, { text: "x", media: [missing], draft: true });
  await passTime(missing, DAY_MS + 15 * 60_000);
  await passTime(young, DAY_MS);
  await passTime(arrived.id, DAY_MS + 15 * 60_000);
  await sweep();
  await sweep();
  expect(await getFile(account, missing)).toMatchObject({ state: "expired", expires_at: expect.any(String) });
  expect(await getFile(account, young)).toMatchObject({ state: "awaiting_upload", expires_at: null });
  expect(await getFile(account, arrived.id)).toMatchObject({ state: "ready", expires_at: null });
  expect(await getStagedBytes(account)).toBe(5_000 + arrived.bytes);
  const refused = await call("PATCH", `/v1/posts/${draft.id}`, { token: account.key, body: { text: "y" } });
  expect(refused).toMatchObject({ status: 422, body: { error: "unknown_media", field: "/media/0" } });
});

it("aborts an upload in chunks that is not complete after a day, and keeps one that is", async () => {
  const account = await signUp();
  const body = { content_type: "video/mp4", bytes: 3_000 };
  const start = async () => {
    const answer = await call<{ media: { id: string } }>("POST", "/v1/media/chunked-upload", {
      ...{ token: account.key, body },
    });
    const { id } = answer.body.media;
    const row = await testEnv.DB.prepare("SELECT object_key, upload_id FROM media WHERE id = ?").bind(id);
    const [key, uploadId] = (await row.raw<[string, string]>())[0] ?? ["", ""];
    const upload = testEnv.MEDIA?.resumeMultipartUpload(key, uploadId);
    const part = await upload?.uploadPart(1, new Uint8Array(3_000));
    return { id, upload, parts: part === undefined ? [] : [part] };
  };
  const [unfinished, complete] = [await start(), await start()];
  // As after a call to complete it whose Worker ended before it noted so.
  await complete.upload?.complete(complete.parts);
  for (const { id } of [unfinished, complete]) await passTime(id, DAY_MS + 15 * 60_000);
  await sweep();
  await sweep();
  expect(await getFile(account, unfinished.id)).toMatchObject({ state: "expired" });
  expect(await getFile(account, complete.id)).toMatchObject({ state: "ready" });
  expect(await getStagedBytes(account)).toBe(3_000);
  await expect(unfinished.upload?.complete(unfinished.parts)).rejects.toThrow();
});

it("counts bytes that arrive at a deleted file's URL, and deletes them once the URL has expired", async () => {
  const account = await signUp();
  const image = await uploadImage(account);
  expect((await call("DELETE", `/v1/media/${image.id}`, { token: account.key })).status).toBe(204);
  expect(await getStagedBytes(account)).toBe(image.bytes);
  expect(await isStored(account, image.id)).toBe(false);
  const key = `m/${account.workspace}/${image.id}`;
  await testEnv.MEDIA?.put(key, "late");
  await sweep();
  expect(await isStored(account, image.id)).toBe(true);
  await testEnv.DB.prepare("UPDATE discarded_objects SET next_at = next_at - ? WHERE object_key = ?")
    .bind(DAY_MS + 15 * 60_000, key)
    .run();
  await sweep();
  expect(await isStored(account, image.id)).toBe(false);
  expect(await getStagedBytes(account)).toBe(0);
  const remaining = await testEnv.DB.prepare("SELECT COUNT(*) AS n FROM discarded_objects WHERE object_key = ?")
    .bind(key)
    .first("n");
  expect(remaining).toBe(0);
});

it("enforces the storage limit even if files are deleted while their URLs are valid, also with concurrent requests", async () => {
  const account = await signUp();
  await testEnv.DB.prepare("UPDATE workspaces SET plan = 'free' WHERE id = ?").bind(account.workspace).run();
  const body = { content_type: "video/mp4", bytes: 512 * 1024 * 1024 };
  const request = () => call<{ media: { id: string } }>("POST", "/v1/media/upload-url", { token: account.key, body });
  const statuses = await Promise.all(
    Array.from({ length: 5 }, async () => {
      const answer = await request();
      if (answer.status === 201) {
        const removed = await call("DELETE", `/v1/media/${answer.body.media.id}`, { token: account.key });
        expect(removed.status).toBe(204);
      }
      return answer.status;
    }),
  );
  expect(statuses.sort()).toEqual([201, 201, 402, 402, 402]);
  expect(await request()).toMatchObject({ status: 402, body: { limit: "media_bytes", used: 2 * body.bytes } });
  await testEnv.DB.prepare("UPDATE discarded_objects SET next_at = next_at - ? WHERE workspace_id = ?")
    .bind(DAY_MS + 15 * 60_000, account.workspace)
    .run();
  await sweep();
  await sweep();
  expect(await getStagedBytes(account)).toBe(0);
  expect((await request()).status).toBe(201);
});

it("releases the bytes of a deleted file at once if its URL has expired", async () => {
  const account = await signUp();
  const image = await uploadImage(account);
  await passTime(image.id, DAY_MS + 15 * 60_000);
  expect((await call("DELETE", `/v1/media/${image.id}`, { token: account.key })).status).toBe(204);
  expect(await getStagedBytes(account)).toBe(0);
  expect(await isStored(account, image.id)).toBe(false);
});
