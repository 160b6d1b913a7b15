// The files of posts. Uploads are checked by their content, and files of waiting posts are stored where no upload can replace them.
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { HOUR_MS, UPLOAD_OVER_MS } from "../../../../src/domain/limits.ts";
import { getPlan } from "../../../../src/domain/plan.ts";
import { media, workspaces } from "../../../../src/store/db/schema.ts";
import { collectLogs } from "../../../support/logs.ts";
import { jpeg } from "../../../support/media-files.ts";
import { memoryBucket } from "../../../support/memory-bucket.ts";
import { db, NOW } from "../../store/deliveries/stored-delivery.ts";
import { catchRefusal, setUpWorkspace } from "./workspace-of-two.ts";

type Parts = NonNullable<Parameters<typeof setUpWorkspace>[0]>;
const PICTURE = jpeg(1_000, 1_000);
const TYPE = "image/jpeg";

/** Sets up a workspace with a bucket. `upload` registers a file and stores it, and `link` registers a file at an address. */
async function setUpBucket(workspace: Parts["workspace"] = {}, outside: Parts["outside"] = {}) {
  const memory = memoryBucket();
  const fetched: string[] = [];
  const answers = new Map<string, () => Response>();
  const fetch = async (url: string) => {
    fetched.push(url);
    return answers.get(url)?.() ?? new Response("gone", { status: 404 });
  };
  const owner = await setUpWorkspace({
    workspace,
    outside: {
      bucket: memory.bucket,
      outbound: { check: (url) => new URL(url), warn: () => [], admit: async (url) => new URL(url), fetch },
      ...outside,
    },
  });
  const { call, workspaceId } = owner;
  const request = async (content = PICTURE) => {
    const body = { content_type: TYPE, bytes: content.length };
    return String(Object((await call("media.request-upload", { body })).body.media).id);
  };
  const putFile = (id: string, content = PICTURE, type = TYPE) => memory.hold(`m/${workspaceId}/${id}`, content, type);
  return {
    ...owner,
    ...memory,
    fetched,
    answers,
    request,
    put: putFile,
    upload: async (content = PICTURE) => {
      const id = await request(content);
      putFile(id, content);
      return id;
    },
    link: async (url = "https://files.example/a.jpg", answer = () => new Response(PICTURE)) => {
      answers.set(url, answer);
      return String((await call("media.register", { body: { url, kind: "image" } })).body.id);
    },
    readFile: async (id: string) =>
      (await db.select().from(media).where(eq(media.id, id)))[0] ?? expect.fail("the file is gone"),
  };
}
const WAITS = { approval: "all" } as const;

describe("an upload that a post names", () => {
  it("an upload is checked by its content, which must not change afterwards", async () => {
    const { upload, create, readFile, put: putFile } = await setUpBucket();
    const id = await upload();
    expect((await create({ media: [id] })).status).toBe(201);
    const { etag, width, height } = await readFile(id);
    expect([etag?.length, width, height]).toEqual([32, 1_000, 1_000]);
    putFile(id, jpeg(999, 999));
    const changed = await catchRefusal(create({ media: [id] }));
    expect([changed.code, changed.detail.field, changed.message, changed.detail.hint]).toEqual([
      "unknown_media",
      "/media/0",
      "The stored file was changed after it was checked.",
      "Upload it again as a new file, and name that one.",
    ]);
  });

  it("an upload is not inspected again once its upload address has expired", async () => {
    const { upload, create, asked, ctx } = await setUpBucket();
    const id = await upload();
    await create({ media: [id] });
    const times = asked.length;
    ctx.now = () => NOW + UPLOAD_OVER_MS - 1;
    await create({ media: [id], text: "again" });
    expect(asked.length).toBeGreaterThan(times);
    const later = asked.length;
    ctx.now = () => NOW + UPLOAD_OVER_MS;
    await create({ media: [id], text: "once more" });
    expect(asked).toHaveLength(later);
  });

  it("an upload that differs from its declaration is refused at every field that names it", async () => {
    const { request, put: putFile, create, first } = await setUpBucket();
    const id = await request();
    putFile(id, new Uint8Array(5));
    const wrong = await catchRefusal(create({ media: [id], overrides: { [first]: { media: [id] } } }));
    expect(wrong.detail.violations).toMatchObject(
      ["/media/0", `/overrides/${first}/media/0`].map((field) => ({
        code: "media_format_not_allowed",
        field,
        message: "The stored file is not what was declared for it.",
        hint: "Upload it again.",
      })),
    );
  });

  it("a missing upload is refused only in a post that needs approval", async () => {
    const { request, create } = await setUpBucket(WAITS);
    const id = await request();
    expect((await create({ media: [id], draft: true })).status).toBe(201);
    const missing = await catchRefusal(create({ media: [id] }));
    expect([missing.code, missing.detail.field, missing.message]).toEqual([
      "media_not_uploaded",
      "/media/0",
      `The file ${id} has not been uploaded.`,
    ]);
    const { request: requestHere, create: createHere } = await setUpBucket();
    expect((await createHere({ media: [await requestHere()] })).status).toBe(201);
  });

  it("an upload that cannot be inspected now is refused only in a post that needs approval", async () => {
    const { upload, create, fails, workspaceId } = await setUpBucket(WAITS);
    const logs = collectLogs();
    const id = await upload();
    fails.add("stat");
    expect((await create({ media: [id], draft: true })).status).toBe(201);
    const unread = await catchRefusal(create({ media: [id] }));
    expect([unread.code, unread.message, unread.detail.hint]).toEqual([
      "media_not_uploaded",
      `The storage did not say whether the file ${id} has been uploaded.`,
      "Try again in a moment.",
    ]);
    const line = { level: "warn", event: "inspection_failed", workspace: workspaceId };
    expect(logs).toEqual([1, 2].map(() => ({ ...line, error: "Error: the bucket is away" })));
  });

  it("a post that names the content of a dry run is accepted only with the same files", async () => {
    const { upload, create, call } = await setUpBucket();
    const id = await upload();
    const checked = await create({ media: [id], dry_run: true });
    const content = "content" in checked ? (checked.content ?? undefined) : undefined;
    expect(content).toMatch(/^[\w-]{43}$/);
    expect((await create({ media: [id] }, { content })).status).toBe(201);
    const otherFile = await catchRefusal(create({ media: [await upload()] }, { content }));
    expect([otherFile.code, otherFile.message]).toEqual([
      "unknown_media",
      "A stored file was changed after it was checked.",
    ]);
    expect(otherFile.detail.hint).toBe("Upload it again as a new file, and name that one.");
    await call("media.remove", { id: await upload() });
    const without = await create({ dry_run: true });
    expect("content" in without && without.content).toBe("");
  });
});

describe("the files of a post that waits for approval", () => {
  it("the files of a waiting post are stored once under a key without an upload address", async () => {
    const { upload, create, readFile, files, put: putFile, call } = await setUpBucket(WAITS);
    const id = await upload();
    const { body } = await create({ media: [id], publish_at: new Date(NOW + HOUR_MS).toISOString() });
    const { objectKey, etag } = await readFile(id);
    expect(objectKey).toMatch(new RegExp(`/sealed/[\\w-]{16}/${id}$`));
    expect(files.get(objectKey ?? "")).toMatchObject({ etag, bytes: PICTURE.length });
    // A later upload to the address does not change the post.
    putFile(id, jpeg(1, 1));
    const decision = { rev: 1, content_tag: body.content_tag };
    expect((await call("posts.approve", { id: String(body.id), body: decision })).status).toBe(200);
    expect(await readFile(id)).toMatchObject({ objectKey, etag });
    expect((await create({ media: [id], text: "again" })).status).toBe(201);
    expect(await readFile(id)).toMatchObject({ objectKey });
  });

  it("a post is refused if its files change while they are stored for approval", async () => {
    const { upload, create, bucket, readPosts } = await setUpBucket(WAITS);
    const id = await upload();
    bucket.copy = async () => false;
    expect(await catchRefusal(create({ media: [id] }))).toMatchObject({
      code: "unknown_media",
      message: "A stored file was changed after it was checked.",
    });
    expect(await readPosts()).toEqual([]);
  });

  it("files at addresses are copied once for a waiting post, and checked by their copies", async () => {
    const { link, create, readFile, files, fetched } = await setUpBucket(WAITS);
    const id = await link();
    const { body } = await create({ media: [id] });
    expect(body).toMatchObject({ status: "awaiting_approval" });
    const row = await readFile(id);
    expect(row).toMatchObject({ bytes: PICTURE.length, contentType: TYPE, width: 1_000, height: 1_000 });
    expect(files.get(row.objectKey ?? "")?.etag).toBe(row.etag);
    await create({ media: [id], text: "again" });
    expect(fetched).toEqual(["https://files.example/a.jpg"]);
  });

  it("files at addresses are not copied for drafts, and for posts that need no approval", async () => {
    const { link, create, fetched } = await setUpBucket(WAITS);
    await create({ media: [await link()], draft: true });
    const free = await setUpBucket();
    await free.create({ media: [await free.link()] });
    expect([fetched, free.fetched]).toEqual([[], []]);
  });

  it.each([
    ["does not have the file", () => new Response("no", { status: 404 }), "answered 404 at its address"],
    ["is unavailable", () => new Response("no", { status: 503 }), "answered 503 at its address"],
  ])("a waiting post is refused with the reason if the host of its file %s", async (_reason, answer, reason) => {
    const { link, create, readPosts } = await setUpBucket(WAITS);
    const id = await link("https://files.example/b.jpg", answer);
    const refused = await catchRefusal(create({ media: [id] }));
    expect([refused.code, refused.detail.field, refused.message]).toEqual([
      "media_not_uploaded",
      "/media/0",
      `The file ${id} ${reason}.`,
    ]);
    expect(refused.detail.hint).toContain("Repair the address, or upload the file.");
    expect(await readPosts()).toEqual([]);
  });

  it("a file at an address is refused in a waiting post only if the plan has no room for its copy", async () => {
    const { media_bytes: bytesMax } = getPlan("free");
    const setUpRoom = (stagedBytes: number) => setUpBucket({ ...WAITS, plan: "free", stagedBytes });
    const over = await setUpRoom((bytesMax ?? 0) - PICTURE.length + 1);
    const full = await catchRefusal(over.create({ media: [await over.link()] }));
    expect([full.code, full.detail.extra]).toMatchObject(["plan_limit", { limit: "media_bytes" }]);
    const last = await setUpRoom((bytesMax ?? 0) - PICTURE.length);
    expect((await last.create({ media: [await last.link()] })).status).toBe(201);
    const [row] = await db.select().from(workspaces).where(eq(workspaces.id, last.workspaceId));
    expect(row?.stagedBytes).toBe(bytesMax);
  });

  it("a waiting post is refused for a while if the host of its file was called too often", async () => {
    const { link, create } = await setUpBucket(WAITS, { takeHost: async () => 7 });
    const limited = await catchRefusal(create({ media: [await link()] }));
    expect([limited.status, limited.detail.extra]).toEqual([429, { retry_after: 7 }]);
  });

  it("a waiting post with a file at an address needs a bucket", async () => {
    const { link, create } = await setUpBucket(WAITS, { bucket: null });
    expect(await catchRefusal(create({ media: [await link()] }))).toMatchObject({ code: "bucket_not_configured" });
  });
});
