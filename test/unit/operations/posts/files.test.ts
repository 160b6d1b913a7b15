// The files of posts: uploads are judged by what they hold, and what is to be approved is put where nobody can replace it.
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { HOUR_MS, UPLOAD_OVER_MS } from "../../../../src/domain/limits.ts";
import { getPlan } from "../../../../src/domain/plan.ts";
import { media, workspaces } from "../../../../src/store/db/schema.ts";
import { collectLogs } from "../../../support/logs.ts";
import { jpeg } from "../../../support/media-files.ts";
import { memoryBucket } from "../../../support/memory-bucket.ts";
import { db, NOW } from "../../store/deliveries/stored-delivery.ts";
import { refusal, workspaceOfTwo } from "./workspace-of-two.ts";

type Parts = NonNullable<Parameters<typeof workspaceOfTwo>[0]>;
const PICTURE = jpeg(1_000, 1_000);
const TYPE = "image/jpeg";

/** A workspace with a bucket; `upload` registers a file and puts it there, `link` one at an address. */
async function withBucket(workspace: Parts["workspace"] = {}, outside: Parts["outside"] = {}) {
  const held = memoryBucket();
  const fetched: string[] = [];
  const answers = new Map<string, () => Response>();
  const fetch = async (url: string) => {
    fetched.push(url);
    return answers.get(url)?.() ?? new Response("gone", { status: 404 });
  };
  const here = await workspaceOfTwo({
    workspace,
    outside: {
      bucket: held.bucket,
      outbound: { check: (url) => new URL(url), warn: () => [], admit: async (url) => new URL(url), fetch },
      ...outside,
    },
  });
  const { call, workspaceId } = here;
  const request = async (content = PICTURE) => {
    const body = { content_type: TYPE, bytes: content.length };
    return String(Object((await call("media.request-upload", { body })).body.media).id);
  };
  const put = (id: string, content = PICTURE, type = TYPE) => held.hold(`m/${workspaceId}/${id}`, content, type);
  return {
    ...here,
    ...held,
    fetched,
    answers,
    request,
    put,
    upload: async (content = PICTURE) => {
      const id = await request(content);
      put(id, content);
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
  it("is judged by what it holds, which is its content for good", async () => {
    const { upload, create, readFile, put } = await withBucket();
    const id = await upload();
    expect((await create({ media: [id] })).status).toBe(201);
    const { etag, width, height } = await readFile(id);
    expect([etag?.length, width, height]).toEqual([32, 1_000, 1_000]);
    put(id, jpeg(999, 999));
    const changed = await refusal(create({ media: [id] }));
    expect([changed.code, changed.detail.field, changed.message, changed.detail.hint]).toEqual([
      "unknown_media",
      "/media/0",
      "The stored file was changed after it was checked.",
      "Upload it again as a new file, and name that one.",
    ]);
  });

  it("is not looked at again once no upload can arrive any more", async () => {
    const { upload, create, asked, ctx } = await withBucket();
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

  it("and is not what was declared is refused wherever it is named", async () => {
    const { request, put, create, first } = await withBucket();
    const id = await request();
    put(id, new Uint8Array(5));
    const wrong = await refusal(create({ media: [id], overrides: { [first]: { media: [id] } } }));
    expect(wrong.detail.violations).toMatchObject(
      ["/media/0", `/overrides/${first}/media/0`].map((field) => ({
        code: "media_format_not_allowed",
        field,
        message: "The stored file is not what was declared for it.",
        hint: "Upload it again.",
      })),
    );
  });

  it("and has not arrived is waited for, but not by a post that is to be approved", async () => {
    const { request, create } = await withBucket(WAITS);
    const id = await request();
    expect((await create({ media: [id], draft: true })).status).toBe(201);
    const missing = await refusal(create({ media: [id] }));
    expect([missing.code, missing.detail.field, missing.message]).toEqual([
      "media_not_uploaded",
      "/media/0",
      `The file ${id} has not been uploaded.`,
    ]);
    const { request: requestHere, create: createHere } = await withBucket();
    expect((await createHere({ media: [await requestHere()] })).status).toBe(201);
  });

  it("and cannot be looked at now is waited for, and a post that is to be approved says so", async () => {
    const { upload, create, fails, workspaceId } = await withBucket(WAITS);
    const logs = collectLogs();
    const id = await upload();
    fails.add("stat");
    expect((await create({ media: [id], draft: true })).status).toBe(201);
    const unread = await refusal(create({ media: [id] }));
    expect([unread.code, unread.message, unread.detail.hint]).toEqual([
      "media_not_uploaded",
      `The storage did not say whether the file ${id} has been uploaded.`,
      "Try again in a moment.",
    ]);
    const line = { level: "warn", event: "inspection_failed", workspace: workspaceId };
    expect(logs).toEqual([1, 2].map(() => ({ ...line, error: "Error: the bucket is away" })));
  });

  it("is the content of a check, which is carried out with this content alone", async () => {
    const { upload, create, call } = await withBucket();
    const id = await upload();
    const checked = await create({ media: [id], dry_run: true });
    const content = "content" in checked ? (checked.content ?? undefined) : undefined;
    expect(content).toMatch(/^[\w-]{43}$/);
    expect((await create({ media: [id] }, { content })).status).toBe(201);
    const other = await refusal(create({ media: [await upload()] }, { content }));
    expect([other.code, other.message]).toEqual(["unknown_media", "A stored file was changed after it was checked."]);
    expect(other.detail.hint).toBe("Upload it again as a new file, and name that one.");
    await call("media.remove", { id: await upload() });
    const without = await create({ dry_run: true });
    expect("content" in without && without.content).toBe("");
  });
});

describe("the files of a post that waits for approval", () => {
  it("are put where no upload address writes, each once", async () => {
    const { upload, create, readFile, files, put, call } = await withBucket(WAITS);
    const id = await upload();
    const { body } = await create({ media: [id], publish_at: new Date(NOW + HOUR_MS).toISOString() });
    const { objectKey, etag } = await readFile(id);
    expect(objectKey).toMatch(new RegExp(`/sealed/[\\w-]{16}/${id}$`));
    expect(files.get(objectKey ?? "")).toMatchObject({ etag, bytes: PICTURE.length });
    // What arrives at the upload's address later is nothing to the post.
    put(id, jpeg(1, 1));
    const decision = { rev: 1, content_tag: body.content_tag };
    expect((await call("posts.approve", { id: String(body.id), body: decision })).status).toBe(200);
    expect(await readFile(id)).toMatchObject({ objectKey, etag });
    expect((await create({ media: [id], text: "again" })).status).toBe(201);
    expect(await readFile(id)).toMatchObject({ objectKey });
  });

  it("that change while they are put away have the post refused", async () => {
    const { upload, create, bucket, readPosts } = await withBucket(WAITS);
    const id = await upload();
    bucket.copy = async () => false;
    expect(await refusal(create({ media: [id] }))).toMatchObject({
      code: "unknown_media",
      message: "A stored file was changed after it was checked.",
    });
    expect(await readPosts()).toEqual([]);
  });

  it("at addresses are copied once, and judged by their copies", async () => {
    const { link, create, readFile, files, fetched } = await withBucket(WAITS);
    const id = await link();
    const { body } = await create({ media: [id] });
    expect(body).toMatchObject({ status: "awaiting_approval" });
    const row = await readFile(id);
    expect(row).toMatchObject({ bytes: PICTURE.length, contentType: TYPE, width: 1_000, height: 1_000 });
    expect(files.get(row.objectKey ?? "")?.etag).toBe(row.etag);
    await create({ media: [id], text: "again" });
    expect(fetched).toEqual(["https://files.example/a.jpg"]);
  });

  it("at addresses are left there while the post is a draft, or nobody approves it", async () => {
    const { link, create, fetched } = await withBucket(WAITS);
    await create({ media: [await link()], draft: true });
    const free = await withBucket();
    await free.create({ media: [await free.link()] });
    expect([fetched, free.fetched]).toEqual([[], []]);
  });

  it.each([
    ["does not answer with it", () => new Response("no", { status: 404 }), "answered 404 at its address"],
    ["is away", () => new Response("no", { status: 503 }), "answered 503 at its address"],
  ])("at an address whose host %s have the post refused, with the reason", async (_why, answer, what) => {
    const { link, create, readPosts } = await withBucket(WAITS);
    const id = await link("https://files.example/b.jpg", answer);
    const refused = await refusal(create({ media: [id] }));
    expect([refused.code, refused.detail.field, refused.message]).toEqual([
      "media_not_uploaded",
      "/media/0",
      `The file ${id} ${what}.`,
    ]);
    expect(refused.detail.hint).toContain("Repair the address, or upload the file.");
    expect(await readPosts()).toEqual([]);
  });

  it("at an address are refused where the plan has no room for a copy, and no sooner", async () => {
    const { media_bytes: bytesMax } = getPlan("free");
    const room = (stagedBytes: number) => withBucket({ ...WAITS, plan: "free", stagedBytes });
    const over = await room((bytesMax ?? 0) - PICTURE.length + 1);
    const full = await refusal(over.create({ media: [await over.link()] }));
    expect([full.code, full.detail.extra]).toMatchObject(["plan_limit", { limit: "media_bytes" }]);
    const last = await room((bytesMax ?? 0) - PICTURE.length);
    expect((await last.create({ media: [await last.link()] })).status).toBe(201);
    const [row] = await db.select().from(workspaces).where(eq(workspaces.id, last.workspaceId));
    expect(row?.stagedBytes).toBe(bytesMax);
  });

  it("at a host that was asked too often have the post refused for a while", async () => {
    const { link, create } = await withBucket(WAITS, { takeHost: async () => 7 });
    const limited = await refusal(create({ media: [await link()] }));
    expect([limited.status, limited.detail.extra]).toEqual([429, { retry_after: 7 }]);
  });

  it("need a bucket", async () => {
    const { link, create } = await withBucket(WAITS, { bucket: null });
    expect(await refusal(create({ media: [await link()] }))).toMatchObject({ code: "bucket_not_configured" });
  });
});
