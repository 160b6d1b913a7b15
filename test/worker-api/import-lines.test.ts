// Posts that are imported as lines of JSON, also from an export of another workspace.
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { app } from "../../src/http/app.ts";
import { testEnv } from "../support/env.ts";
import { type Account, call, connect, uploadImage, uploadJpeg } from "../support/world.ts";
import { importFile, listPosts, localTimeInDays, openWorkspace } from "./imported.ts";

describe("lines of JSON", () => {
  const type = "application/x-ndjson";
  const lines = (...values: unknown[]) =>
    values.map((value) => (typeof value === "string" ? value : JSON.stringify(value))).join("\n");

  it("lines of JSON are posts in the API's format, and each is checked separately", async () => {
    const account: Account & { channel: { id: string } } = await openWorkspace();
    const { key, channel } = account;
    const image = await uploadImage(account);
    const file = lines(
      {
        text: "a",
        channels: [channel.id],
        media: [image.id],
        publish_at: localTimeInDays(1),
        metadata: { external_id: "7" },
      },
      "",
      { text: "b", channels: ["telegram"], overrides: { telegram: { text: "c" } }, draft: true },
      "{ not json",
      { text: "d", channels: [channel.id], publishAt: localTimeInDays(1), dry_run: true },
    );
    const { body } = await importFile(key, file, { type, query: "?partial=true" });
    expect(body.rows).toMatchObject([
      { line: 1, external_id: "7", valid: true, post: { media: [image.id] } },
      { line: 3, valid: true, post: { status: "draft", overrides: { [channel.id]: { text: "c" } } } },
      { line: 4, valid: false, violations: [{ code: "malformed_json" }], post: null },
      { line: 5, valid: false, violations: [{ code: "unknown_field", field: "/publishAt" }], post: null },
    ]);
  });

  it("lines of another workspace's export find channels by name and files by address, and publish nothing again", async () => {
    const { key, channel } = await openWorkspace();
    const shared = { channels: ["ch_there"], media: ["med_there"], labels: ["winter"], metadata: {} };
    const file = lines(
      { type: "workspace", id: "ws_there", name: "There" },
      { type: "channel", id: "ch_there", platform: "telegram", handle: channel.handle, state: "connected" },
      {
        type: "media",
        id: "med_there",
        url: "https://example.com/a.jpg",
        kind: "image",
        alt: "first",
        name: "a.jpg",
        tags: ["snow"],
      },
      {
        type: "post",
        ...shared,
        id: "post_1",
        text: "later",
        status: "scheduled",
        publish_at: `${localTimeInDays(1)}:00.000Z`,
        rev: 4,
      },
      {
        type: "post",
        ...shared,
        id: "post_2",
        text: "was out",
        status: "published",
        publish_at: "2020-01-01T00:00:00.000Z",
      },
    );
    const { body } = await importFile(key, file, { type });
    expect(body.rows).toMatchObject([
      {
        line: 4,
        valid: true,
        post: { text: "later", status: "scheduled", channels: [channel.id], labels: ["winter"] },
      },
      { line: 5, valid: true, post: { text: "was out", status: "draft", channels: [channel.id], publish_at: null } },
    ]);
    const [first, second] = body.rows.map(({ post }) => post?.media[0]);
    expect(first).not.toBe("med_there");
    expect(second).toBe(first);
    expect((await call("GET", `/v1/media/${first}`, { token: key })).body).toMatchObject({
      url: "https://example.com/a.jpg",
      alt: "first",
      name: "a.jpg",
      tags: ["snow"],
    });
    const tagged = await call<{ media: { id: string }[] }>("GET", "/v1/media?tag=snow", { token: key });
    expect(tagged.body.media.map(({ id }) => id)).toEqual([first]);
  });

  it("lines may use files of this or another workspace in thread parts and as a thumbnail", async () => {
    const account = await openWorkspace();
    const { key } = account;
    const [sky, tube] = [await connect(key, "bluesky"), await connect(key, "youtube")];
    const image = await uploadJpeg(account);
    const thread = (id: string) => [{ text: "second", media: [id] }];
    const overrides = (id: string) => ({ [tube.id]: { title: "Film", thread: [], thumbnail_media: id } });
    const file = (id: string) =>
      lines(
        { type: "media", id: "med_there", url: "https://example.com/a.jpg", kind: "image", alt: "first" },
        { text: "a", channels: [sky.id], thread: thread(id), draft: true },
        { text: "b", channels: [tube.id], overrides: overrides(id), draft: true },
      );
    const [ownFiles, otherFiles] = [
      await importFile(key, file(image.id), { type }),
      await importFile(key, file("med_there"), { type }),
    ];
    expect([ownFiles, otherFiles].flatMap(({ body }) => body.rows.flatMap(({ violations }) => violations))).toEqual([]);
    expect(ownFiles.body.rows).toMatchObject([
      { post: { thread: thread(image.id) } },
      { post: { overrides: overrides(image.id) } },
    ]);
    const [first, second] = otherFiles.body.rows.map(({ post }) => post);
    const id = first?.thread?.[0]?.media?.[0];
    expect(id).toMatch(/^med_/);
    expect(id).not.toBe("med_there");
    expect(second?.overrides).toMatchObject(overrides(id ?? ""));
  });

  it("lines of an unknown type are refused instead of skipped", async () => {
    const { key } = await openWorkspace();
    const file = lines(
      { type: "reel", text: "a", channels: ["telegram"] },
      { type: 7, text: "b", channels: ["telegram"] },
      { type: "event", id: "evt_1" },
    );
    expect((await importFile(key, file, { type })).body.rows).toMatchObject([
      { line: 1, violations: [{ code: "unknown_field", field: "/type" }] },
      { line: 2, violations: [{ code: "unknown_field", field: "/type" }] },
    ]);
  });

  it("lines with text that cannot be stored unchanged are refused like the body of a post", async () => {
    const { key } = await openWorkspace();
    const file = [
      '{"text":"a\\u0000b","draft":true}',
      '{"text":"a\\ud800b","draft":true}',
      '{"text":"x","draft":true,"metadata":{"a":"\\udc00"}}',
      '{"type":"post","text":"x","overrides":{"ch_1":{"text":"\\u0000"}},"channels":["ch_1"],"status":"draft"}',
      '{"text":"whole: \\ud83d\\ude00","draft":true}',
    ].join("\n");
    const { body } = await importFile(key, file, { type, query: "?partial=true" });
    expect(body).toMatchObject({ valid: 1, invalid: 4, created: 1 });
    const invalid = ["/text", "/text", "/metadata/a", "/overrides/ch_1/text"];
    expect(
      body.rows.slice(0, 4).map(({ violations }) => violations.find(({ code }) => code === "invalid_field")?.field),
    ).toEqual(invalid);
    expect(body.rows[4]?.post?.text).toBe("whole: \u{1f600}");
  });

  it("lines that name one channel by two names are refused, because the intended text is unclear", async () => {
    const { key, channel } = await openWorkspace();
    const overrides = { telegram: { text: "one" }, [channel.id]: { text: "two" } };
    const { body } = await importFile(key, lines({ text: "a", channels: ["telegram"], overrides, draft: true }), {
      type,
    });
    expect(body.rows).toMatchObject([
      { violations: [{ code: "duplicate_channel", field: `/overrides/${channel.id}` }], post: null },
    ]);
  });

  it("lines keep the time of a post that waited for approval", async () => {
    const { key } = await openWorkspace();
    const publish_at = `${localTimeInDays(1)}:00.000Z`;
    const file = lines({ type: "post", text: "a", channels: ["telegram"], status: "awaiting_approval", publish_at });
    expect((await importFile(key, file, { type })).body.rows).toMatchObject([
      { post: { status: "draft", publish_at } },
    ]);
  });

  it("lines with more channel names than a post may have do not get a larger answer", async () => {
    const { key } = await openWorkspace();
    const names = Array.from({ length: 60_000 }, (_, i) => `a${i}`);
    for (const body of [
      { channels: names },
      { channels: [], overrides: Object.fromEntries(names.map((name) => [name, {}])) },
    ]) {
      const { status, body: answer } = await importFile(key, lines({ text: "a", ...body, draft: true }), { type });
      expect(status).toBe(200);
      expect(answer.rows[0]?.valid).toBe(false);
      expect(JSON.stringify(answer).length).toBeLessThan(2_000);
    }
  });

  it("an upload is inspected once, even if many lines name it, and each registered file is counted", async () => {
    const account = await openWorkspace();
    const image = await uploadImage(account);
    const reads: string[] = [];
    const MEDIA = new Proxy(testEnv.MEDIA ?? expect.fail("no bucket"), {
      get(target, name) {
        if (name === "head" || name === "get") reads.push(name);
        return Reflect.get(target, name, target).bind(target);
      },
    });
    const many = Array.from({ length: 20 }, (_, i) => ({ text: `${i}`, media: [image.id], draft: true }));
    const request = new Request("http://crier.test/v1/posts/import", {
      method: "POST",
      headers: { authorization: `Bearer ${account.key}`, "content-type": type },
      body: lines(...many),
    });
    const execution = createExecutionContext();
    const response = await app.fetch(request, { ...testEnv, MEDIA }, execution);
    expect(await response.json()).toMatchObject({ created: 20 });
    await waitOnExecutionContext(execution);
    expect(reads.filter((name) => name === "head")).toHaveLength(1);

    const files = (from: number) =>
      [
        "text,draft,media_urls",
        ...Array.from({ length: 20 }, (_, row) => {
          const urls = Array.from({ length: 45 }, (_, i) => `https://example.com/${from + row}-${i}.jpg`);
          return `${row},true,${urls.join("|")}`;
        }),
      ].join("\n");
    expect((await importFile(account.key, files(0), { query: "?dry_run=true" })).body).toMatchObject({ valid: 20 });
    expect((await importFile(account.key, files(0))).body).toMatchObject({ created: 20 });
    expect(await importFile(account.key, files(100))).toMatchObject({ status: 429, body: { error: "rate_limited" } });
    expect(await listPosts(account.key)).toHaveLength(0);
  });
});
