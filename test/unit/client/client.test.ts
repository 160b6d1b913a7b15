// The client of the API: types of its errors, safe repeats, complete lists, the feed, uploads.
import { afterEach, expect, it } from "vitest";
import { createClient } from "../../../src/client/client.ts";
import { NoAnswer, Refusal } from "../../../src/client/errors.ts";
import { events, everyItem, exported, finished } from "../../../src/client/pages.ts";
import { readPieces } from "../../../src/client/stream.ts";
import { upload } from "../../../src/client/upload.ts";
import { type Answer, json, type Service, startService } from "../cli/service.ts";

const open: Service[] = [];
afterEach(async () => {
  for (const service of open.splice(0)) await service.close();
});

async function start(answer: Answer, options: { workspace?: string; signal?: AbortSignal } = {}) {
  const service = await startService(answer);
  open.push(service);
  const waits: number[] = [];
  const pause = async (ms: number, signal?: AbortSignal) => {
    signal?.throwIfAborted();
    waits.push(ms);
  };
  return { service, waits, client: createClient({ url: `${service.url}/`, key: "crier_live_key", pause, ...options }) };
}
const catchError = (promise: Promise<unknown>) =>
  promise.then(
    () => Promise.reject(new Error("it went well")),
    (error: unknown) => error,
  );
const refusal = (error: string, fields = {}) => ({ error, message: "No.", request_id: "req_1", ...fields });

it("a post without an idempotency key gets one from the client, which a repeat also sends", async () => {
  let n = 0;
  const { client, service } = await start((response) => {
    if (n++ === 0) response.socket?.destroy();
    else json(response, 201, { id: "post_1" });
  });
  await client.call("posts.create", { body: { text: "x" } });
  await client.call("posts.create", { body: { text: "x" } });
  const keys = service.calls.map(({ headers }) => headers["idempotency-key"]);
  expect(keys).toHaveLength(3);
  expect(keys[0]).toBe(keys[1]);
  expect(keys[0]).toMatch(/^[\w-]{36}$/);
  expect(keys[2]).not.toBe(keys[0]);
});

it("a refusal has its code, body and hint and is not retried", async () => {
  const { client, service } = await start((response) =>
    json(response, 402, refusal("plan_limit", { hint: "Wait.", used: 30, allowed: 30 })),
  );
  const end = await catchError(client.call("posts.create", { body: { text: "x" } }));
  expect(end).toBeInstanceOf(Refusal);
  expect(end).toMatchObject({ code: "plan_limit", status: 402, hint: "Wait.", body: { used: 30 } });
  expect(service.calls).toHaveLength(1);
});

it("a missing answer and a foreign answer are not refusals", async () => {
  const { client } = await start((response) => response.writeHead(500).end("oops"));
  expect(await catchError(client.call("usage.read"))).toMatchObject({ name: "NoAnswer", status: 500, passes: false });
  const { client: elsewhere } = await start((response) => response.end("<html>"));
  expect(await catchError(elsewhere.call("usage.read"))).toMatchObject({
    name: "NoAnswer",
    status: 200,
    passes: false,
  });
  const { client: nobody, service } = await start((response) => void response.socket?.destroy());
  const end = await catchError(nobody.call("posts.remove", { params: { id: "post_1" } }));
  expect(end).toBeInstanceOf(NoAnswer);
  expect(end).toMatchObject({ status: null, passes: true });
  expect(service.calls).toHaveLength(1);
});

it("path parameters and queries are URL-encoded, and a session sends its workspace", async () => {
  const { client, service } = await start((response) => json(response, 200, { id: "x" }), { workspace: "ws_1" });
  await client.call("posts.get", { params: { id: "../a b?" } });
  await client.call("events.list", { query: { post: "p&q", limit: 3, cursor: undefined } });
  expect(service.calls.map(({ path }) => path)).toEqual(["/v1/posts/..%2Fa%20b%3F", "/v1/events?post=p%26q&limit=3"]);
  expect(service.calls[0]?.headers).toMatchObject({
    authorization: "Bearer crier_live_key",
    "x-workspace": "ws_1",
  });
});

it("a call ends with the reason of its signal", async () => {
  const stop = new AbortController();
  const { client } = await start(() => stop.abort("enough"), { signal: stop.signal });
  expect(await catchError(client.call("usage.read"))).toBe("enough");
});

it("every item of a list comes once, to its end", async () => {
  const pages: Record<string, { items: number[]; next: string | null }> = {
    start: { items: [1, 2], next: "b" },
    b: { items: [], next: "c" },
    c: { items: [3], next: null },
  };
  const itemsRead: number[] = [];
  for await (const item of everyItem(async (cursor) => pages[cursor ?? "start"] ?? { items: [], next: null })) {
    itemsRead.push(item);
  }
  expect(itemsRead).toEqual([1, 2, 3]);
});

it("the feed starts at the end of the log, continues after missing answers, and its cursor skips no event", async () => {
  const log: Record<string, { events: { id: string }[]; next: string }> = {
    end: { events: [{ id: "evt_1" }, { id: "evt_2" }], next: "c2" },
    c2: { events: [], next: "c2" },
  };
  let n = 0;
  const { client, service, waits } = await start((response, { path }) => {
    const query = new URL(path, "http://x").searchParams;
    if (query.get("order") !== "oldest") return json(response, 200, { events: [{ id: "evt_0" }], next: "end" });
    if (n++ < 2) return void response.socket?.destroy();
    json(response, 200, log[query.get("cursor") ?? ""] ?? refusal("unreadable_cursor"));
  });
  const silences: string[] = [];
  const feed = events(client, { onSilence: (reason) => silences.push(reason) });
  const received: string[] = [];
  for await (const event of feed) {
    received.push(`${event.id} ${feed.cursor}`);
    if (received.length === 2) break;
  }
  expect(received).toEqual(["evt_1 end", "evt_2 end"]);
  expect(silences).toHaveLength(1);
  expect(waits).toContain(2_000);
  // The last event may be delivered a second time, and none is skipped.
  const again = events(client, { cursor: feed.cursor ?? "" });
  for await (const event of again) {
    expect(event.id).toBe("evt_1");
    break;
  }
  expect(service.calls.at(-1)?.path).toContain("cursor=end");
});

it("a feed that begins with no event has a cursor at once, and its first event is new", async () => {
  const log: { id: string }[] = [];
  const { client } = await start((response, { path }) => {
    const isOldest = path.includes("order=oldest");
    const isBehind = path.includes("cursor=start");
    const body = { events: isOldest && isBehind ? [...log] : [], next: isOldest ? "start" : null };
    // The event happens after the caller has received the first cursor.
    if (isBehind) log.push({ id: "evt_1" });
    json(response, 200, body);
  });
  const cursors: string[] = [];
  for await (const event of events(client, { onCursor: (cursor) => cursors.push(cursor) })) {
    expect(event.id).toBe("evt_1");
    break;
  }
  expect(cursors).toEqual(["start"]);
});

it("an event from before the feed's start is not new, and the feed has a cursor at once", async () => {
  const { client } = await start((response, { path }) => {
    const isOldest = path.includes("order=oldest");
    const isBehind = path.includes("cursor=one");
    const events = isBehind ? [{ id: "evt_2" }] : [{ id: "evt_1" }];
    json(response, 200, { events, next: isOldest ? (isBehind ? "two" : "one") : null });
  });
  const cursors: string[] = [];
  for await (const event of events(client, { onCursor: (cursor) => cursors.push(cursor) })) {
    expect(event.id).toBe("evt_2");
    break;
  }
  expect(cursors).toEqual(["one"]);
});

it("a post is requested until it has finished", async () => {
  const post = (status: string, delivery: object) => ({ id: "post_1", status, deliveries: [delivery] });
  const states = [
    post("scheduled", { status: "pending", next_attempt_at: new Date(Date.now() + 3_600_000).toISOString() }),
    post("publishing", { status: "publishing", next_attempt_at: null }),
    post("published", { status: "live", next_attempt_at: null }),
  ];
  const { client, waits } = await start((response) => json(response, 200, states.shift()));
  expect(await finished(client, "post_1")).toMatchObject({ status: "published" });
  expect(waits).toEqual([30_000, 1_000]);
});

it("a blob is uploaded with the signed headers, reported once it has arrived, and retried after a failure", async () => {
  let puts = 0;
  const { client, service, waits } = await start((response, { method, path }) => {
    if (method === "POST")
      return json(response, 201, {
        upload_url: `${service.url}/bucket`,
        headers: { "Content-Type": "image/png", "Content-Length": "3" },
        expires_at: new Date(Date.now() + 900_000).toISOString(),
        media: { id: "med_1" },
      });
    expect(path).toBe("/bucket");
    response.writeHead(puts++ === 0 ? 503 : 200).end();
  });
  const calls: (number | string)[] = [];
  const progress = {
    sent: (n: number) => calls.push(n),
    again: (cause: string) => calls.push(cause),
    arrived: () => calls.push("!"),
  };
  const blob = new Blob(["abc"], { type: "image/png" });
  expect(await upload(client, blob, { alt: "Letters", progress })).toBe("med_1");
  expect(JSON.parse(service.calls[0]?.body ?? "")).toEqual({ content_type: "image/png", bytes: 3, alt: "Letters" });
  expect(service.calls[2]).toMatchObject({ method: "PUT", body: "abc", headers: { "content-length": "3" } });
  expect(calls).toEqual([0, "the bucket answered 503", 0, 3, "!"]);
  expect(waits).toEqual([1_000]);
});

it("a video above the limit of one upload is sent in chunks, and a broken connection costs one chunk", async () => {
  const size = 536_870_913;
  const chunkBytes = size - 1;
  const sizes: string[] = [];
  const { client, service, waits } = await start((response, { method, path, body, headers }) => {
    if (method === "PUT") {
      sizes.push(`${path} ${headers["content-length"]}`);
      if (sizes.length === 2) return response.socket?.destroy();
      return response.writeHead(200, { etag: `"of ${path}"` }).end();
    }
    if (path === "/v1/media/chunked-upload")
      return json(response, 201, { media: { id: "med_1" }, chunk_bytes: chunkBytes, chunk_count: 2 });
    if (path === "/v1/media/med_1/complete") return json(response, 200, { id: "med_1" });
    const expires_at = new Date(Date.now() + 900_000).toISOString();
    const { numbers } = JSON.parse(body);
    const chunks = numbers.map((number: number) => {
      const length = number === 1 ? "first".length : 1;
      const upload_url = `${service.url}/bucket/${number}`;
      return { number, upload_url, headers: { "Content-Length": String(length) }, expires_at };
    });
    json(response, 200, { chunks });
  });
  const calls: (number | string)[] = [];
  const progress = { sent: (n: number) => calls.push(n), arrived: () => calls.push("!") };
  // Only its size is read from the file; slices of it are small here.
  const blob = new Blob(["x"], { type: "video/mp4" });
  const huge = Object.assign(blob, { slice: (from: number) => new Blob([from === 0 ? "first" : "r"]) });
  Object.defineProperty(huge, "size", { value: size });
  expect(await upload(client, huge, { name: "film.mp4", progress })).toBe("med_1");
  expect(JSON.parse(service.calls[0]?.body ?? "")).toEqual({
    ...{ content_type: "video/mp4", bytes: size, name: "film.mp4" },
  });
  const completed = service.calls.find(({ path }) => path.endsWith("/complete"));
  expect(JSON.parse(completed?.body ?? "")).toEqual({
    chunks: [
      { number: 1, etag: '"of /bucket/1"' },
      { number: 2, etag: '"of /bucket/2"' },
    ],
  });
  expect(sizes.map((line) => line.split(" ")[0])).toEqual(["/bucket/1", "/bucket/2", "/bucket/2"]);
  expect(waits).toEqual([1_000]);
  expect(calls.at(-1)).toBe("!");
});

const END = '{"type":"end","lines":2,"next":null}\n';
const joinPieces = async (pieces: AsyncIterable<string>) => {
  let text = "";
  for await (const piece of pieces) text += piece;
  return text;
};

it("an export is read resource by resource at any chunk border, without its last line", async () => {
  const { client, service } = await start((response) => {
    response.writeHead(200, { "content-type": "application/x-ndjson" });
    const bytes = Buffer.from(`{"type":"post","id":"p","text":"ü🌊"}\n{"type":"media","id":"m"}\n${END}`);
    for (const byte of bytes) response.write(Buffer.from([byte]));
    response.end();
  });
  const lines = [];
  for await (const line of exported(client)) lines.push(line);
  expect(lines).toMatchObject([{ type: "post", text: "ü🌊" }, { type: "media" }]);
  expect(service.calls[0]).toMatchObject({ path: "/v1/export", headers: { authorization: "Bearer crier_live_key" } });
});

it("a long export is requested part by part with the cursor of each part", async () => {
  const { client, service } = await start((response, { path }) => {
    const next = path.includes("cursor=") ? "null" : '"c3RvcA-_"';
    response.end(`{"type":"media","id":"m"}\n{"type":"end","lines":1,"next":${next}}\n`);
  });
  const lines = [];
  for await (const line of exported(client)) lines.push(line);
  expect(lines).toHaveLength(2);
  expect(service.calls.map(({ path }) => path)).toEqual(["/v1/export", "/v1/export?cursor=c3RvcA-_"]);
});

it("a download has a time limit until its first byte, and none while it is being read", async () => {
  const waits: string[] = [];
  const silence = {
    signal: new AbortController().signal,
    begin: () => waits.push("begin"),
    end: () => waits.push("end"),
  };
  for await (const piece of readPieces("posts.csv", new Response("id,status\r\n"), silence)) waits.push(piece);
  expect(waits).toEqual(["begin", "end", "id,status\r\n", "begin", "end"]);
});

it("an export without its last line and a broken connection are incomplete answers", async () => {
  const { client: ended } = await start((response) => response.end('{"type":"post"}\n'));
  expect(await catchError(joinPieces(ended.stream("workspaces.export")))).toMatchObject({
    name: "NoAnswer",
    passes: true,
  });
  const { client: broken } = await start((response) => {
    response.writeHead(200, { "content-type": "text/csv" });
    response.write("id,status\r\n", () => response.socket?.destroy());
  });
  expect(await catchError(joinPieces(broken.stream("posts.csv")))).toBeInstanceOf(NoAnswer);
});

it("a refused export is a refusal, and an unanswered one is requested again", async () => {
  let n = 0;
  const { client, waits } = await start((response) => {
    if (n++ === 0) response.socket?.destroy();
    else json(response, 403, refusal("scope_missing"));
  });
  expect(await catchError(joinPieces(client.stream("workspaces.export")))).toMatchObject({
    name: "Refusal",
    code: "scope_missing",
  });
  expect(waits).toHaveLength(1);
});
