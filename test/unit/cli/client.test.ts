// The CLI against a service that is silent, slow, busy, at another address, or not Crier.
import { afterEach, expect, it } from "vitest";
import { allPages, makeClient, patiently } from "../../../cli/api/client.ts";
import { EXIT, Failure, Refused, Unanswered } from "../../../cli/failure.ts";
import { type Answer, json, type Service, startService } from "./service.ts";

const open: Service[] = [];
afterEach(async () => {
  for (const service of open.splice(0)) await service.close();
});

async function connectTo(answer: Answer) {
  const service = await startService(answer);
  open.push(service);
  const waits: number[] = [];
  const stop = new AbortController();
  const pause = async (ms: number) => void waits.push(ms);
  return {
    service,
    waits,
    stop,
    client: makeClient({ url: service.url, key: "crier_live_key", signal: stop.signal, pause }),
  };
}
const catchError = (promise: Promise<unknown>) =>
  promise.then(
    () => Promise.reject(new Error("it went well")),
    (error: unknown) => error,
  );
const refusal = (error: string, fields = {}) => ({ error, message: "No.", request_id: "req_1", ...fields });

it("a post that gets no answer is sent again under the same key, until it gets one", async () => {
  let tries = 0;
  const {
    client: crier,
    service,
    waits,
  } = await connectTo((response) => {
    tries++;
    if (tries === 1) response.socket?.destroy();
    else if (tries === 2) response.writeHead(502).end("<html>");
    else if (tries === 3) json(response, 429, refusal("rate_limited", { retry_after: 2 }), { "retry-after": "2" });
    else json(response, 201, { id: "post_1" });
  });
  const { body } = await crier.call("posts.create", { body: { text: "x" }, idempotencyKey: "key-1" });
  expect(body).toEqual({ id: "post_1" });
  expect(service.calls.map(({ headers }) => headers["idempotency-key"])).toEqual(["key-1", "key-1", "key-1", "key-1"]);
  expect(new Set(service.calls.map(({ body }) => body)).size).toBe(1);
  expect(waits).toEqual([500, 1000, 2000]);
});

it("a call that is not safe to repeat is not repeated", async () => {
  const { client: crier, service } = await connectTo((response) => void response.socket?.destroy());
  const upload = { content_type: "image/png", bytes: 1 };
  expect(await catchError(crier.call("media.request-upload", { body: upload }))).toMatchObject({ exitCode: 1 });
  expect(await catchError(crier.call("posts.remove", { params: { id: "post_1" } }))).toMatchObject({ exitCode: 1 });
  expect(service.calls).toHaveLength(2);
});

it.each([
  [401, 3],
  [403, 3],
  [402, 5],
  [404, 4],
  [409, 4],
  [422, 4],
  [503, 1],
])("a refusal with %i ends with exit code %i and is not repeated", async (status, exitCode) => {
  const { client: crier, service } = await connectTo((response) => json(response, status, refusal("some_code")));
  const end = await catchError(crier.call("posts.create", { body: {}, idempotencyKey: "k" }));
  expect(end).toBeInstanceOf(Refused);
  expect(end).toMatchObject({ exitCode, status });
  expect(service.calls).toHaveLength(1);
});

it("a short rate limit is waited for, and a long one is printed", async () => {
  let after = 3;
  const {
    client: crier,
    service,
    waits,
  } = await connectTo((response) => json(response, 429, refusal("rate_limited", { retry_after: after })));
  expect(await catchError(crier.call("usage.read"))).toMatchObject({ exitCode: 6 });
  expect(waits).toEqual([3000, 3000]);
  after = 600;
  expect(await catchError(crier.call("usage.read"))).toMatchObject({ exitCode: 6 });
  expect(service.calls).toHaveLength(4);
});

it.each<[string, Answer]>([
  ["another site", (response) => void response.end("<html>Welcome</html>")],
  ["a redirect", (response) => void response.writeHead(301, { location: "https://elsewhere.example" }).end()],
  ["an error that is not Crier's", (response) => void response.writeHead(500).end("oops")],
  [
    "half a body",
    (response) =>
      void response.writeHead(200, { "content-length": "100" }).write("{", () => response.socket?.destroy()),
  ],
])("%s fails with a message that names the host", async (_, answer) => {
  const { client: crier } = await connectTo(answer);
  const end = await catchError(crier.call("usage.read"));
  expect(end).toBeInstanceOf(Failure);
  expect(end).toMatchObject({ exitCode: 1, message: expect.stringContaining("127.0.0.1") });
});

it("a missing server is reported at once", async () => {
  const { client: crier, service } = await connectTo(() => {});
  await service.close();
  open.pop();
  expect(await catchError(crier.call("platforms.list"))).toMatchObject({
    message: expect.stringContaining("nothing listens"),
  });
});

it("an interrupted call ends as interrupted", async () => {
  const { client: crier, stop } = await connectTo(() => stop.abort());
  expect(await catchError(crier.call("usage.read"))).toMatchObject({ exitCode: 130 });
});

it("the service's clock is followed when ours is off", async () => {
  const hour = 3_600_000;
  let shift = hour;
  const { client: crier } = await connectTo((response) =>
    json(response, 200, {}, { date: new Date(Date.now() + shift).toUTCString() }),
  );
  expect(crier.skew()).toBeNull();
  await crier.call("usage.read");
  expect(Math.round((crier.skew() ?? 0) / hour)).toBe(1);
  expect(Math.round((crier.now() - Date.now()) / hour)).toBe(1);
  shift = 0;
  await crier.call("usage.read");
  expect(crier.skew()).toBe(0);
});

it("an event feed is requested until it answers, and a refusal ends it", async () => {
  let tries = 0;
  const {
    client: crier,
    waits,
    stop,
  } = await connectTo((response) => {
    tries++;
    if (tries <= 6) response.socket?.destroy();
    else if (tries === 7) json(response, 200, { posts: {} });
    else json(response, 404, refusal("not_found"));
  });
  const printed: string[] = [];
  const follow = () =>
    patiently(
      () => crier.call("usage.read"),
      stop.signal,
      (text) => printed.push(text),
      async (ms) => void waits.push(ms),
    );
  expect((await follow()).body).toEqual({ posts: {} });
  expect(waits.filter((ms) => ms !== 500)).toEqual([2000, 5000, 10_000]);
  expect(printed).toHaveLength(1);
  expect(await catchError(follow())).toMatchObject({ exitCode: 4 });
});

it("a list whose pages form a circle or lack a cursor is not a valid answer", async () => {
  for (const pages of [{ start: "a", a: "b", b: "a" }, { start: "a" }]) {
    const cursors = new Map(Object.entries(pages));
    const read = async (cursor = "start") => JSON.parse(JSON.stringify({ items: [1], next: cursors.get(cursor) }));
    expect(await catchError(allPages(read, 100))).toBeInstanceOf(Unanswered);
  }
});

it("a list page without items is not a valid answer", async () => {
  const read = async () => JSON.parse('{ "items": null, "next": null }');
  expect(await catchError(allPages(read, 100))).toBeInstanceOf(Unanswered);
});

it("a key that no header can carry is reported as the caller's mistake without showing it", async () => {
  const signal = new AbortController().signal;
  const crier = makeClient({ url: "http://127.0.0.1:9", key: "crier_live_5ecret\nx", signal });
  const end = await catchError(crier.call("usage.read"));
  expect(end).toMatchObject({ name: "Failure", exitCode: EXIT.usage });
  expect(String(end)).not.toContain("5ecret");
});
