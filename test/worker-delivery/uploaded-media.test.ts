// Uploaded files that are published: exactly the checked bytes are published.
import { exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { testEnv } from "../support/env.ts";
import { type Account, call, connect, finished, ledger, post, signUp, upload } from "../support/world.ts";
import { openFile, PNG } from "./sent-files.ts";

describe("an uploaded file that is replaced by a second upload of the same length", () => {
  const otherBytes = new Uint8Array(PNG).fill(7, PNG.length - 20);
  const swap = ({ workspace }: Account, id: string, bytes: Uint8Array<ArrayBuffer> = otherBytes) =>
    testEnv.MEDIA?.put(`m/${workspace}/${id}`, bytes, { httpMetadata: { contentType: "image/png" } });
  const soon = () => new Date(Date.now() + 86_400_000).toISOString();
  const makeDue = (id: string) =>
    testEnv.DB.batch([
      testEnv.DB.prepare("UPDATE deliveries SET scheduled_for = ?1, next_at = ?1 WHERE post_id = ?2").bind(
        Date.now(),
        id,
      ),
      testEnv.DB.prepare("UPDATE posts SET due_at = ?1, publish_at = ?1 WHERE id = ?2").bind(Date.now(), id),
    ]);

  it("is not published if it is replaced after the check of its post, and the delivery names the reason", async () => {
    const account = await signUp();
    const channel = await connect(account.key, "telegram");
    const file = await upload(account, PNG, "image/png");
    const body = { text: "x", media: [file.id], channels: [channel.id], publish_at: soon() };
    const { id } = await post(account.key, body);
    await swap(account, file.id);
    const otherPost = await post(account.key, { text: "y", channels: [channel.id] });
    await makeDue(id);
    // Each new post makes the publisher look for due deliveries.
    await post(account.key, { text: "z", channels: [channel.id] });
    await finished(account.key, otherPost.id);
    const { deliveries } = await finished(account.key, id);
    expect(deliveries).toMatchObject([{ status: "failed", error: "media_missing" }]);
    const detail = await testEnv.DB.prepare(
      "SELECT last_try ->> '$.detail' AS detail FROM deliveries WHERE post_id = ?",
    )
      .bind(id)
      .first("detail");
    expect(detail).toBe(`file 1 (${file.id}) was changed after it was checked`);
    expect((await ledger(channel.handle)).flatMap(({ media }) => media)).toEqual([]);
  });

  it("is rejected when a post names it or is edited, and accepted again with its original bytes", async () => {
    const account = await signUp();
    const channel = await connect(account.key, "telegram");
    const file = await upload(account, PNG, "image/png");
    const body = { text: "x", media: [file.id], channels: [channel.id], publish_at: soon() };
    const { id } = await post(account.key, body);
    await swap(account, file.id);
    const refusal = {
      status: 422,
      body: {
        error: "unknown_media",
        field: "/media/0",
        message: "The stored file was changed after it was checked.",
        hint: "Upload it again as a new file, and name that one.",
      },
    };
    const send = (fields: object) => call("POST", "/v1/posts", { token: account.key, body: { ...body, ...fields } });
    expect(await send({})).toMatchObject(refusal);
    expect(await send({ dry_run: true })).toMatchObject(refusal);
    const edit = () => call("PATCH", `/v1/posts/${id}`, { token: account.key, body: { text: "y" } });
    expect(await edit()).toMatchObject(refusal);
    await swap(account, file.id, PNG);
    expect(await edit()).toMatchObject({ status: 200 });
  });

  it("is not published if it is replaced between its inspection and the write of the post", async () => {
    const account = await signUp();
    const file = await upload(account, PNG, "image/png");
    const rival = await upload(account, PNG, "image/png");
    // Another post has fixed other bytes of the file before this post is written.
    const racing = new Proxy(testEnv.MEDIA ?? expect.fail(), {
      get: (target, name) => {
        if (name !== "get") return Reflect.get(target, name).bind(target);
        return async (...input: Parameters<R2Bucket["get"]>) => {
          const object = await target.get(...input);
          await testEnv.DB.prepare("UPDATE media SET etag = 'another' WHERE id = ?").bind(file.id).run();
          return object;
        };
      },
    });
    await expect(openFile(account, file.id, { env: { ...testEnv, MEDIA: racing } })).rejects.toMatchObject({
      message: `file 1 (${file.id}) was changed after it was checked`,
      retry: false,
    });
    expect((await openFile(account, rival.id)).bytes).toBe(PNG.length);
  });

  it("is fixed by the first attempt to publish it if it was not uploaded at the time of the check", async () => {
    const account = await signUp();
    const file = await upload(account, PNG, "image/png");
    const opened = await openFile(account, file.id);
    await swap(account, file.id);
    await expect(opened.open()).rejects.toMatchObject({ retry: false });
    await expect(openFile(account, file.id)).rejects.toMatchObject({
      message: `file 1 (${file.id}) was changed after it was checked`,
    });
  });

  it("is no longer found at the URL that networks were given", async () => {
    const account = await signUp();
    const file = await upload(account, PNG, "image/png");
    const { url } = await openFile(account, file.id);
    const getStatus = async () => (await exports.default.fetch(new Request(url, { method: "HEAD" }))).status;
    // Some networks reject a URL with a query or without a file extension.
    expect(url).toMatch(
      new RegExp(`^http://media\\.crier\\.test/m/${account.workspace}/${file.id}/[0-9a-f]{32}/file\\.png$`),
    );
    expect(await getStatus()).toBe(200);
    await swap(account, file.id);
    expect(await getStatus()).toBe(404);
  });
});

describe("an uploaded file whose bucket does not answer", () => {
  it("is reported as temporarily unreadable, so that the call that needs it counts as not sent", async () => {
    const account = await signUp();
    const { id } = await upload(account, PNG, "image/png");
    const { MEDIA } = testEnv;
    if (MEDIA === undefined) throw new Error("there is no bucket");
    let isDown = false;
    const bucket = new Proxy(MEDIA, {
      get(target, name: keyof R2Bucket) {
        if (name === "get" && isDown) return () => Promise.reject(new Error("get: We encountered an internal error."));
        return target[name].bind(target);
      },
    });
    const file = await openFile(account, id, { env: { ...testEnv, MEDIA: bucket } });
    isDown = true;
    const trouble = { message: `file 1 (${id}) could not be read from the bucket`, retry: true };
    await expect(file.open()).rejects.toMatchObject(trouble);
    await expect(file.open({ offset: 0, length: 10 })).rejects.toMatchObject(trouble);
    isDown = false;
    expect(new Uint8Array(await new Response(await file.open()).arrayBuffer())).toEqual(PNG);
  });
});
