// The client against services with hostile answers.
import { afterEach, expect, it } from "vitest";
import { createClient } from "../../../src/client/client.ts";
import { events, everyItem, exported, finished, nextLookMs } from "../../../src/client/pages.ts";
import { upload } from "../../../src/client/upload.ts";
import { type Answer, json, type Service, startService } from "../cli/service.ts";

const open: Service[] = [];
afterEach(async () => {
  for (const service of open.splice(0)) await service.close();
});

async function start(answer: Answer) {
  const service = await startService(answer);
  open.push(service);
  const waits: number[] = [];
  const pause = async (ms: number) => void waits.push(ms);
  return { service, waits, client: createClient({ url: service.url, key: "crier_live_key", pause }) };
}
const catchError = (promise: Promise<unknown>) =>
  promise.then(
    () => Promise.reject(new Error("it went well")),
    (error: unknown) => error,
  );
async function readAll(items: AsyncIterable<unknown>): Promise<unknown[]> {
  const results: unknown[] = [];
  for await (const item of items) results.push(item);
  return results;
}
const refusal = (error: string, fields = {}) => ({ error, message: "No.", request_id: "req_1", ...fields });

it.each(["", ".", ".."])("an id that would lead to another path is refused before anything is sent: %j", async (id) => {
  const { client, service } = await start((response) => json(response, 200, {}));
  expect(await catchError(client.call("posts.take-down", { params: { id: "post_1", channel: id } }))).toMatchObject({
    name: "CrierError",
    message: `"${id}" cannot be the channel of a call.`,
  });
  expect(service.calls).toEqual([]);
});

it("a list whose next page is the page itself ends with an error", async () => {
  const { client, service } = await start((response) => json(response, 200, { posts: [], next: "again" }));
  const pages = everyItem(async (cursor) => {
    const { body } = await client.call("posts.list", { query: { cursor } });
    return { items: body.posts, next: body.next };
  });
  expect(await catchError(readAll(pages))).toMatchObject({ name: "NoAnswer" });
  expect(service.calls).toHaveLength(2);
});

it.each([
  ["violations that are not a list", { violations: {} }],
  ["a hint that is not a string", { hint: 7 }],
  ["a count that is not a number", { more_violations: "x" }],
])("a refusal with %s is not a refusal by Crier", async (_name, fields) => {
  const { client } = await start((response) => json(response, 422, refusal("text_too_long", fields)));
  expect(await catchError(client.call("posts.get", { params: { id: "post_1" } }))).toMatchObject({
    name: "NoAnswer",
    status: 422,
  });
});

it("an export with an invalid JSON line ends with a client error", async () => {
  const { client } = await start((response) => {
    response.end('{"type":"post"\n{"type":"end","lines":1,"next":null}\n');
  });
  expect(await catchError(readAll(exported(client)))).toMatchObject({ name: "NoAnswer", passes: false });
});

it("an answer that is longer than any answer of Crier is not read to its end", async () => {
  const { client, service } = await start((response) => {
    response.end(JSON.stringify({ id: "post_1", text: "x".repeat(17 * 1024 * 1024) }));
  });
  expect(await catchError(client.call("posts.get", { params: { id: "post_1" } }))).toMatchObject({
    name: "NoAnswer",
    status: 200,
    passes: false,
  });
  expect(service.calls).toHaveLength(1);
});

it("an endless error page is closed and is not a refusal", async () => {
  const { client } = await start((response) => {
    response.writeHead(500, { "content-type": "text/html" });
    const writeMore = () => void (response.writable && response.write("<p>".repeat(100_000), writeMore));
    writeMore();
  });
  expect(await catchError(client.call("posts.remove", { params: { id: "post_1" } }))).toMatchObject({
    name: "NoAnswer",
    status: 500,
  });
});

it("a body that never ends ends with the signal of its caller, and its connection is closed", async () => {
  const stop = new AbortController();
  let closed = () => {};
  const isClosed = new Promise<void>((resolve) => {
    closed = resolve;
  });
  const { client } = await start((response, _call, request) => {
    request.socket.once("close", closed);
    response.writeHead(200, { "content-type": "application/json" });
    response.write('{"id":"post_1"', () => stop.abort("enough"));
  });
  expect(await catchError(client.call("posts.get", { params: { id: "post_1" }, signal: stop.signal }))).toBe("enough");
  await isClosed;
});

it.each([301, 302, 307, 308])("a redirect (%i) is not followed, so no other host receives the key", async (status) => {
  const otherService = await startService((response) => json(response, 200, {}));
  open.push(otherService);
  const { client } = await start((response) =>
    response.writeHead(status, { location: `${otherService.url}/v1/posts` }).end(),
  );
  const end = await catchError(client.call("posts.create", { body: { text: "x" } }));
  expect(end).toMatchObject({ name: "NoAnswer", status, passes: false });
  expect(otherService.calls).toEqual([]);
});

it.each([-1, 1, "x", {}, null])(
  "the client calls at most three times if every answer is a rate limit of %j",
  async (retryAfter) => {
    const { client, service, waits } = await start((response) =>
      json(response, 429, refusal("rate_limited", { retry_after: retryAfter })),
    );
    expect(await catchError(client.call("posts.create", { body: { text: "x" } }))).toMatchObject({
      code: "rate_limited",
    });
    expect(service.calls.length).toBeLessThanOrEqual(3);
    for (const wait of waits) expect(wait).toBeGreaterThanOrEqual(500);
  },
);

it("a rate limit of years is passed on at once, without a wait", async () => {
  const { client, service, waits } = await start((response) =>
    json(response, 429, refusal("rate_limited", { retry_after: 1e9 }), { "retry-after": "1000000000" }),
  );
  expect(await catchError(client.call("posts.create", { body: { text: "x" } }))).toMatchObject({
    code: "rate_limited",
  });
  expect([service.calls.length, waits]).toEqual([1, []]);
});

it("member names such as __proto__ and constructor in an answer change no other object", async () => {
  const { client } = await start((response) => {
    response
      .writeHead(422)
      .end(
        '{"error":"constructor","message":"No.","request_id":"r","__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}',
      );
  });
  const end = await catchError(client.call("posts.get", { params: { id: "post_1" } }));
  expect(end).toMatchObject({ name: "Refusal", code: "constructor" });
  expect({}).not.toHaveProperty("polluted");
  expect(end).not.toHaveProperty("polluted");
});

it.each([
  ["pages in a circle", (cursor: string | undefined) => ({ items: [1], next: cursor === "a" ? "b" : "a" })],
  [
    "a second page without a cursor",
    (cursor: string | undefined) => JSON.parse(cursor === undefined ? '{"items":[1],"next":"a"}' : '{"items":[2]}'),
  ],
  ["a page without items", () => JSON.parse('{"next":null}')],
])("a list with %s ends with an error", async (_, page) => {
  let reads = 0;
  const pages = everyItem(async (cursor) => {
    if (reads++ > 10) throw new Error("it never ends");
    return page(cursor);
  });
  expect(await catchError(readAll(pages))).toMatchObject({ name: "NoAnswer", passes: false });
});

it.each([
  ["without a cursor", { events: [{ id: "evt_1" }] }],
  ["without events", { next: "c" }],
  [
    "that is full and whose next page is itself",
    { events: Array.from({ length: 200 }, () => ({ id: "evt_1" })), next: "c" },
  ],
])("a page of the feed %s ends the feed with an error and an unchanged cursor", async (_, page) => {
  const { client, service } = await start((response) => {
    if (service.calls.length > 10) return void response.socket?.end();
    json(response, 200, page);
  });
  const feed = events(client, { cursor: "c" });
  expect(await catchError(readAll(feed))).toMatchObject({ name: "NoAnswer", passes: false });
  expect(feed.cursor).toBe("c");
  expect(service.calls).toHaveLength(1);
});

it("a delivery with an invalid next attempt does not cause polling without a pause", () => {
  const deliveries = JSON.parse('[{ "status": "pending", "next_attempt_at": "soon" }]');
  expect(nextLookMs({ deliveries }, Date.now())).toBe(1_000);
});

it("an answer that is not a post ends the wait for its outcome with a client error", async () => {
  const { client } = await start((response) => json(response, 200, { status: "queued" }));
  expect(await catchError(finished(client, "post_1"))).toMatchObject({ name: "NoAnswer" });
});

it.each([["null"], ["7"], ['"text"'], ["[]"]])(
  "a line %s in an export ends with an error of the client",
  async (line) => {
    const { client } = await start((response) => response.end(`${line}\n{"type":"end","lines":1,"next":null}\n`));
    expect(await catchError(readAll(exported(client)))).toMatchObject({ name: "NoAnswer", passes: false });
  },
);

it("an export whose parts lead back to an earlier one ends with an error", async () => {
  const { client, service } = await start((response) => {
    const next = service.calls.length > 10 ? "null" : service.calls.length % 2 === 0 ? '"a"' : '"b"';
    response.end(`{"type":"end","lines":0,"next":${next}}\n`);
  });
  expect(await catchError(readAll(exported(client)))).toMatchObject({ name: "NoAnswer", passes: false });
  expect(service.calls).toHaveLength(3);
});

const blob = new Blob(["abc"], { type: "image/png" });
const uploadTo = (upload_url: unknown) => ({
  upload_url,
  headers: {},
  expires_at: new Date(Date.now() + 900_000).toISOString(),
  media: { id: "med_1" },
});

it("a file is not sent to the target of a redirect", async () => {
  const otherService = await startService((response) => response.end());
  open.push(otherService);
  const { client, service } = await start((response, { method, path }) => {
    if (method === "POST") return json(response, 201, uploadTo(`${service.url}/bucket`));
    if (path === "/bucket") return response.writeHead(307, { location: `${otherService.url}/taken` }).end();
    response.writeHead(204).end();
  });
  expect(await catchError(upload(client, blob))).toMatchObject({ name: "NoAnswer", status: 307 });
  expect(otherService.calls).toEqual([]);
});

it.each(["data:,x", "ftp://bucket.example/x", "/bucket", "", 7, null])(
  "a file is not sent to an upload address that is not http or https: %j",
  async (address) => {
    const { client, service } = await start((response, { method }) => {
      if (method === "POST") return json(response, 201, uploadTo(address));
      response.writeHead(204).end();
    });
    expect(await catchError(upload(client, blob))).toMatchObject({ name: "NoAnswer", passes: false });
    expect(service.calls.filter(({ method }) => method === "PUT")).toEqual([]);
  },
);

it("a service with https sends no file to an http address", async () => {
  const requests: string[] = [];
  const client = createClient({
    url: "https://crier.example",
    key: null,
    fetch: async ({ href }, { method }) => {
      requests.push(`${method} ${href}`);
      return method === "POST"
        ? Response.json(uploadTo("http://bucket.example/x"), { status: 201 })
        : new Response(null, { status: 204 });
    },
  });
  expect(await catchError(upload(client, blob))).toMatchObject({ name: "NoAnswer", status: 200 });
  expect(requests).toEqual([
    "POST https://crier.example/v1/media/upload-url",
    "DELETE https://crier.example/v1/media/med_1",
  ]);
});
