import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { app } from "../../src/http/app.ts";
import { countedDatabase } from "../support/counted-db.ts";
import { testEnv } from "../support/env.ts";
import {
  type Account,
  call,
  connect,
  getPost,
  type PostBody,
  signUp,
  uploadImage,
  uploadJpeg,
} from "../support/world.ts";

interface Row {
  line: number;
  external_id: string | null;
  valid: boolean;
  violations: { code: string; field?: string; column?: string; message: string; hint?: string }[];
  post: PostBody | null;
}
interface Imported {
  rows: Row[];
  valid: number;
  invalid: number;
  created: number;
}
const importFile = (key: string, text: string, { query = "", type = "text/csv", idempotencyKey = "" } = {}) =>
  call<Imported & { error?: string; field?: string; message?: string }>("POST", `/v1/posts/import${query}`, {
    token: key,
    body: text,
    headers: { "content-type": type, ...(idempotencyKey === "" ? {} : { "idempotency-key": idempotencyKey }) },
  });
const listed = async (key: string) =>
  (await call<{ posts: PostBody[] }>("GET", "/v1/posts?limit=200", { token: key })).body.posts;
const at = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 16);

async function world() {
  const account = await signUp();
  const channel = await connect(account.key, "telegram");
  return { ...account, channel };
}

describe("a CSV file", () => {
  it("is posts: channels by id, handle or platform, files by address, labels, and a name of one's own", async () => {
    const { key, channel } = await world();
    const { id: other } = await connect(key, "bluesky");
    const file = [
      "text,channels,publish_at,media_urls,alt,labels,external_id",
      `"Hello, world",telegram|${other},${at(1)},,,winter|sale,A-1`,
      `Look,${channel.handle},${at(2)}Z,https://example.com/a.jpg?x=1|https://example.com/b.png,first|second,,`,
    ].join("\n");
    const dry = await importFile(key, file, { query: "?dry_run=true" });
    expect(dry).toMatchObject({ status: 200, body: { valid: 2, invalid: 0, created: 0 } });
    expect(dry.body.rows.map(({ violations }) => violations)).toEqual([[], []]);
    expect(await listed(key)).toEqual([]);
    const made = await importFile(key, file);
    expect(made.body).toMatchObject({
      created: 2,
      rows: [
        {
          line: 2,
          external_id: "A-1",
          post: { text: "Hello, world", channels: [channel.id, other], labels: ["winter", "sale"] },
        },
        { line: 3, external_id: null, post: { text: "Look", status: "scheduled" } },
      ],
    });
    const second = made.body.rows[1]?.post;
    expect(second?.media).toHaveLength(2);
    const media = await call("GET", `/v1/media/${second?.media[1]}`, { token: key });
    expect(media.body).toMatchObject({
      url: "https://example.com/b.png",
      kind: "image",
      alt: "second",
      state: "registered",
    });
    expect(await getPost(key, made.body.rows[0]?.post?.id ?? "")).toMatchObject({ metadata: { external_id: "A-1" } });
  });

  it("may be as a spreadsheet writes it: a mark of byte order, semicolons, CRLF, line breaks in quotes, empty rows", async () => {
    const { key } = await world();
    const file = `\ufefftext;channels;draft\r\n"One ""line""\nand; another";telegram;TRUE\r\n;;\r\n\r\n"Two";telegram;true\r\n`;
    const { body } = await importFile(key, file);
    expect(body.rows.map(({ line, post }) => [line, post?.text, post?.status])).toEqual([
      [2, 'One "line"\nand; another', "draft"],
      [6, "Two", "draft"],
    ]);
  });

  it("is told all that is wrong with it, by line and column, and nothing is made", async () => {
    const { key } = await world();
    await connect(key, "bluesky");
    const file = [
      "text,channels,publish_at,labels,media_urls,alt",
      `${"x".repeat(400)},bluesky|nowhere,01/12/2026 09:00,a|a,,`,
      `fine,telegram,${at(1)},,,`,
      ",telegram,46000.375,,,",
      "late,telegram,2020-01-01T09:00,,,",
      "file,telegram,,,http://127.0.0.1/a.jpg|https://example.com/what,one",
      "more,telegram,,,,,,what",
    ].join("\n");
    const { status, body } = await importFile(key, file);
    expect(status).toBe(200);
    expect(body).toMatchObject({ valid: 1, invalid: 5, created: 0 });
    const violations = body.rows.map(({ line, violations }) => [
      line,
      violations.map(({ code, column }) => `${code} ${column}`).sort(),
    ]);
    expect(violations).toEqual([
      [2, ["invalid_field labels", "unknown_channel channels"]],
      [3, []],
      [4, ["publish_at_invalid publish_at", "text_required text"]],
      [5, ["publish_at_in_past publish_at"]],
      [6, ["invalid_field alt", "media_format_not_allowed media_urls"]],
      [7, ["invalid_field undefined"]],
    ]);
    expect(body.rows[2]?.violations.find(({ code }) => code === "publish_at_invalid")?.hint).toContain("format Text");
    expect(await listed(key)).toEqual([]);
    const partial = await importFile(key, file, { query: "?partial=true" });
    expect(partial.body).toMatchObject({ valid: 1, created: 1 });
    expect((await listed(key)).map(({ text }) => text)).toEqual(["fine"]);
  });

  it.each<[string, string, object, object]>([
    ["an unknown column", "text,chanels\nx,telegram", {}, { error: "unknown_field", field: "/chanels" }],
    ["a quote that is not closed", 'text,channels\n"x,telegram', {}, { error: "malformed_file" }],
    ["words behind a quote", 'text,channels\n"x"y,telegram', {}, { error: "malformed_file" }],
    ["nothing in it", "", {}, { error: "malformed_file" }],
    ["a column twice", "text,text\nx,y", {}, { error: "malformed_file" }],
    ["another type", "text\nx", { type: "application/json" }, { error: "content_type_not_allowed" }],
    ["too many rows", `text,draft\n${"x,true\n".repeat(501)}`, {}, { error: "too_many_rows" }],
  ])("with %s is refused as a whole", async (_what, text, options, refused) => {
    const { key } = await signUp();
    expect(await importFile(key, text, options)).toMatchObject({ status: 422, body: refused });
  });

  it("that is larger than 1 MiB is 413", async () => {
    const { key } = await signUp();
    expect((await importFile(key, `text\n${"x".repeat(1_048_600)}`)).status).toBe(413);
  });

  it("that the month has no room for is 402 as a whole", async () => {
    const { key, workspace } = await world();
    await testEnv.DB.prepare("UPDATE workspaces SET plan = 'free' WHERE id = ?").bind(workspace).run();
    const rows = Array.from({ length: 31 }, (_, i) => `${i},telegram,${at(1)}`);
    const file = ["text,channels,publish_at", ...rows].join("\n");
    expect(await importFile(key, file, { query: "?partial=true" })).toMatchObject({
      status: 402,
      body: { error: "plan_limit" },
    });
    expect(await listed(key)).toEqual([]);
  });
});

describe("sent again with the same key", () => {
  const file = (count: number, text = "post") =>
    ["text,channels,publish_at", ...Array.from({ length: count }, (_, i) => `${text} ${i},telegram,${at(3)}`)].join(
      "\n",
    );

  it("it makes nothing twice, and answers with the posts that there are", async () => {
    const { key } = await world();
    const first = await importFile(key, file(50), { idempotencyKey: "one" });
    const again = await importFile(key, file(50), { idempotencyKey: "one" });
    expect(again).toMatchObject({ status: 200, body: { created: 50, valid: 50 } });
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(again.body.rows.map(({ post }) => post?.id)).toEqual(first.body.rows.map(({ post }) => post?.id));
    expect(await listed(key)).toHaveLength(50);
    expect(await importFile(key, file(50, "other"), { idempotencyKey: "one" })).toMatchObject({
      status: 422,
      body: { error: "idempotency_key_reused" },
    });
    expect((await importFile(key, file(2), { idempotencyKey: "on" })).body.created).toBe(2);
  });

  it("after an interruption it goes on where that ended, and makes each row once, also twice at once", async () => {
    const { key } = await world();
    const text = file(120);
    let writes = 0;
    const real = testEnv.DB;
    const dying = new Proxy(real, {
      get(target, name) {
        if (name !== "batch") return Reflect.get(target, name, target).bind(target);
        return async (statements: D1PreparedStatement[]) => {
          if (statements.length > 50 && ++writes === 2) throw new Error("Network connection lost.");
          return target.batch(statements);
        };
      },
    });
    const request = new Request("http://crier.test/v1/posts/import", {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "text/csv", "idempotency-key": "broken" },
      body: text,
    });
    const execution = createExecutionContext();
    const broken = await app.fetch(request, { ...testEnv, DB: dying }, execution);
    await waitOnExecutionContext(execution);
    expect(broken.status).toBeGreaterThanOrEqual(500);
    expect(await listed(key)).toHaveLength(40);
    const [one, other] = await Promise.all([
      importFile(key, text, { idempotencyKey: "broken" }),
      importFile(key, text, { idempotencyKey: "broken" }),
    ]);
    expect([one, other].map(({ status, body }) => [status, body.created])).toEqual([
      [200, 120],
      [200, 120],
    ]);
    const last = await importFile(key, text, { idempotencyKey: "broken" });
    expect(last.body.created).toBe(120);
    expect(await listed(key)).toHaveLength(120);
    expect(new Set(last.body.rows.map(({ post }) => post?.id)).size).toBe(120);
  });
});

it("500 rows of 1 MiB are judged in a round trip, and written in twenty at most", async () => {
  const { key } = await world();
  const text = "word ".repeat(405).trim();
  const file = `text,channels,publish_at\n${Array.from({ length: 500 }, (_, i) => `${i} ${text},telegram,${at(5)}`).join("\n")}`;
  expect(file.length).toBeGreaterThan(1_000_000);
  const send = async (query: string) => {
    const { db, use } = countedDatabase(testEnv.DB);
    const headers = { authorization: `Bearer ${key}`, "content-type": "text/csv", "idempotency-key": "many" };
    const request = new Request(`http://crier.test/v1/posts/import${query}`, { method: "POST", headers, body: file });
    const execution = createExecutionContext();
    const response = await app.fetch(request, { ...testEnv, DB: db }, execution);
    const body = await response.json<Imported>();
    await waitOnExecutionContext(execution);
    return { body, use };
  };
  const dry = await send("?dry_run=true");
  expect(dry.body).toMatchObject({ valid: 500, invalid: 0 });
  expect(dry.use.roundTrips).toBeLessThanOrEqual(2);
  const made = await send("");
  expect(made.body.created).toBe(500);
  expect(made.use.roundTrips).toBeLessThanOrEqual(20);
});

describe("lines of JSON", () => {
  const type = "application/x-ndjson";
  const lines = (...values: unknown[]) =>
    values.map((value) => (typeof value === "string" ? value : JSON.stringify(value))).join("\n");

  it("are posts as the API takes them, each judged by itself", async () => {
    const account: Account & { channel: { id: string } } = await world();
    const { key, channel } = account;
    const image = await uploadImage(account);
    const file = lines(
      { text: "a", channels: [channel.id], media: [image.id], publish_at: at(1), metadata: { external_id: "7" } },
      "",
      { text: "b", channels: ["telegram"], overrides: { telegram: { text: "c" } }, draft: true },
      "{ not json",
      { text: "d", channels: [channel.id], publishAt: at(1), dry_run: true },
    );
    const { body } = await importFile(key, file, { type, query: "?partial=true" });
    expect(body.rows).toMatchObject([
      { line: 1, external_id: "7", valid: true, post: { media: [image.id] } },
      { line: 3, valid: true, post: { status: "draft", overrides: { [channel.id]: { text: "c" } } } },
      { line: 4, valid: false, violations: [{ code: "malformed_json" }], post: null },
      { line: 5, valid: false, violations: [{ code: "unknown_field", field: "/publishAt" }], post: null },
    ]);
  });

  it("may come from another workspace: its channels are found by name, its files by address, nothing goes out again", async () => {
    const { key, channel } = await world();
    const of = { channels: ["ch_there"], media: ["med_there"], labels: ["winter"], metadata: {} };
    const file = lines(
      { type: "workspace", id: "ws_there", name: "There" },
      { type: "channel", id: "ch_there", platform: "telegram", handle: channel.handle, state: "connected" },
      { type: "media", id: "med_there", url: "https://example.com/a.jpg", kind: "image", alt: "first" },
      { type: "post", ...of, id: "post_1", text: "later", status: "scheduled", publish_at: `${at(1)}:00.000Z`, rev: 4 },
      {
        type: "post",
        ...of,
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
    });
  });

  it("may name files in the parts of a thread and as a thumbnail, of this workspace and of another", async () => {
    const account = await world();
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
    const [here, there] = [
      await importFile(key, file(image.id), { type }),
      await importFile(key, file("med_there"), { type }),
    ];
    expect([here, there].flatMap(({ body }) => body.rows.flatMap(({ violations }) => violations))).toEqual([]);
    expect(here.body.rows).toMatchObject([
      { post: { thread: thread(image.id) } },
      { post: { overrides: overrides(image.id) } },
    ]);
    const [first, second] = there.body.rows.map(({ post }) => post);
    const id = first?.thread?.[0]?.media?.[0];
    expect(id).toMatch(/^med_/);
    expect(id).not.toBe("med_there");
    expect(second?.overrides).toMatchObject(overrides(id ?? ""));
  });

  it("of a type that nobody knows are refused, not left out", async () => {
    const { key } = await world();
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

  it("with a text that cannot be passed on as it is are refused like the body of a post", async () => {
    const { key } = await world();
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

  it("that name a channel twice by two names are refused, whichever text was meant", async () => {
    const { key, channel } = await world();
    const overrides = { telegram: { text: "one" }, [channel.id]: { text: "two" } };
    const { body } = await importFile(key, lines({ text: "a", channels: ["telegram"], overrides, draft: true }), {
      type,
    });
    expect(body.rows).toMatchObject([
      { violations: [{ code: "duplicate_channel", field: `/overrides/${channel.id}` }], post: null },
    ]);
  });

  it("keep the time of a post that waited for approval", async () => {
    const { key } = await world();
    const publish_at = `${at(1)}:00.000Z`;
    const file = lines({ type: "post", text: "a", channels: ["telegram"], status: "awaiting_approval", publish_at });
    expect((await importFile(key, file, { type })).body.rows).toMatchObject([
      { post: { status: "draft", publish_at } },
    ]);
  });

  it("with more names than a post may have get no larger an answer for it", async () => {
    const { key } = await world();
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

  it("look at an upload once, however many name it, and count each file that they register", async () => {
    const account = await world();
    const image = await uploadImage(account);
    const looks: string[] = [];
    const MEDIA = new Proxy(testEnv.MEDIA ?? expect.fail("no bucket"), {
      get(target, name) {
        if (name === "head" || name === "get") looks.push(name);
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
    expect(looks.filter((name) => name === "head")).toHaveLength(1);

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
    expect(await listed(account.key)).toHaveLength(0);
  });
});
