// Invalid requests are errors of the caller. The client sends nothing, and the error does not contain the key.
import { afterEach, beforeEach, expect, it } from "vitest";
import { type ClientOptions, createClient } from "../../../src/client/client.ts";
import { CrierError } from "../../../src/client/errors.ts";
import { json, type Service, startService } from "../cli/service.ts";

const KEY = "crier_live_5ecret";
let service: Service;
beforeEach(async () => {
  service = await startService((response) => json(response, 200, { id: "post_1" }));
});
afterEach(() => service.close());

const makeClient = (options: Partial<ClientOptions> = {}) =>
  createClient({ url: service.url, key: KEY, pause: () => Promise.reject(new Error("it is retried")), ...options });
/** Returns the error of a call that cannot be sent, and expects no secret in its message, stack and cause. */
async function catchError(promise: Promise<unknown>): Promise<Error> {
  const error = await promise.then(
    () => expect.fail("it went well"),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof CrierError)) throw new Error("no error of the client", { cause: error });
  expect([error.name, service.calls]).toEqual(["CrierError", []]);
  expect([error.message, error.stack, String(error.cause)].join()).not.toContain("5ecret");
  return error;
}

it.each(["a\r\nx: 1", "a\nb", "\u0000", "ключ", "a…"])(
  "a key that cannot be a header is refused without being repeated in the error: %j",
  async (end) => {
    const error = await catchError(makeClient({ key: `${KEY}${end}` }).call("usage.read"));
    expect(error.message).toBe("authorization has a character that a header cannot have.");
  },
);

it("a key from a file may end with a line break", async () => {
  await makeClient({ key: `${KEY}\n` }).call("usage.read");
  expect(service.calls[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
});

it.each([" ", "\n", "\u0001", "//", "/ "])("a pasted service address may end with %j", async (end) => {
  await makeClient({ url: `${service.url}${end}` }).call("usage.read");
  expect(service.calls.map(({ path }) => path)).toEqual(["/v1/usage"]);
});

it.each(["a\r\nauthorization: Bearer x", "ü…", "\u0000"])(
  "an idempotency key cannot add a header: %j",
  async (idempotencyKey) => {
    await catchError(makeClient().call("posts.create", { body: { text: "x" }, idempotencyKey }));
  },
);

it.each(['1", "2', "1\\", "1\n2"])(
  "a revision that would become several values of a header is refused: %j",
  async (rev) => {
    await catchError(makeClient().call("posts.update", { params: { id: "post_1" }, body: { text: "x" }, rev }));
  },
);

it("a workspace id cannot add a header", async () => {
  await catchError(makeClient({ workspace: "ws_1\nx: 1" }).call("usage.read"));
});

it.each([
  "https://user:5ecret@crier.example",
  "https://5ecret@crier.example",
  "https://user:5ecret@crier.example:99999",
  "https://crier.example/?key=5ecret",
  "https://crier.example/#5ecret",
  "ftp://crier.example",
  "javascript:alert(1)",
  "file:///etc/passwd",
  "crier.example",
  "",
])("an invalid service address is an error at once that does not repeat it: %j", async (url) => {
  const requests: URL[] = [];
  const fetch = async (address: URL) => {
    requests.push(address);
    return Response.json({});
  };
  await catchError(makeClient({ url, fetch }).call("usage.read"));
  expect(requests).toEqual([]);
});

it.each(["a/b", "a/../../auth/me", "..%2f..", "a?b=c", "a#b", "a\r\nb", "\\..\\x", "%2e%2e", "ü🌊", "a;b=c"])(
  "an id is encoded as one segment of the path: %j",
  async (id) => {
    await makeClient().call("posts.get", { params: { id } });
    const path = service.calls[0]?.path ?? "";
    expect(path).toMatch(/^\/v1\/posts\/[^/?#]+$/);
    expect(decodeURIComponent(path.slice("/v1/posts/".length))).toBe(id);
  },
);

it("an id with half a character and a body that is not JSON are errors of the caller", async () => {
  await catchError(makeClient().call("posts.get", { params: { id: "\ud800" } }));
  const circle: Record<string, unknown> = {};
  circle.self = circle;
  await catchError(makeClient().call("posts.create", { body: { text: "x", overrides: { ch_1: circle } } }));
});

it("a connection that fails is an error without the key", async () => {
  const { url } = service;
  await service.close();
  const error = await createClient({ url, key: KEY, pause: async () => {} })
    .call("usage.read")
    .catch(String);
  expect(error).toBe(`NoAnswer: ${url} cannot be reached: nothing listens there.`);
  service = await startService(() => {});
});
