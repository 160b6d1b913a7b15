// Expressions may give other values than a field expects, and answers may not be Crier's. No unintended post is created, and every
// item has a result or an error.
import { afterEach, expect, it } from "vitest";
import { Crier } from "../../../src/n8n/nodes/Crier/Crier.node.ts";
import { type Execution, makeBase, makeExecution } from "../../support/n8n.ts";
import { type Answer, json, type Service, startService } from "../cli/service.ts";

const open: Service[] = [];
afterEach(async () => {
  for (const service of open.splice(0)) await service.close();
});
async function start(answer: Answer = (response) => json(response, 201, { id: "post_1" })): Promise<Service> {
  const service = await startService(answer);
  open.push(service);
  return service;
}
const KEY = "crier_live_5ecret";
const node = new Crier();
async function runNode({ url }: Service, items: Record<string, unknown>[], overrides: Partial<Execution> = {}) {
  const [output = []] = await node.execute.call(
    makeExecution(url, { items, key: KEY, continueOnFail: true, ...overrides }),
  );
  return output;
}
const POST = { operation: "post", text: "Hello", channels: ["ch_1"], when: "now" };

it.each<[string, object]>([
  ["a text that is an object", { text: { text: "Hello" } }],
  ["a text that is a list", { text: ["Hello"] }],
  ["a text that is a time", { text: new Date() }],
  ["a text that is NaN", { text: Number.NaN }],
  ["channels that are objects", { channels: [{ id: "ch_1" }] }],
  ["a list of channels with null", { channels: ["ch_1", null] }],
  ["a list in the list of channels", { channels: [["ch_1"]] }],
  ["an unknown value of `when`", { when: "tomorrow" }],
  ["a value of `when` that is an object", { when: {} }],
  ["a value of `when` in another spelling", { when: "Draft" }],
  ["a missing time", { when: "time", publishAt: null }],
  ["an invalid time", { when: "time", publishAt: new Date(Number.NaN) }],
  ["a time that is an object", { when: "time", publishAt: {} }],
  ["options that are a text", { options: '{"dryRun":true}' }],
  ["a dry run that is neither true nor false", { options: { dryRun: "yes" } }],
  ["a dry run that is a number", { options: { dryRun: 1 } }],
  ["a dry run without a value", { options: { dryRun: null } }],
  ["an idempotency key that is an object", { options: { idempotencyKey: {} } }],
  ["an idempotency key that adds a header", { options: { idempotencyKey: "a\r\nx-workspace: ws_1" } }],
  ["labels that are objects", { options: { labels: [{}] } }],
  ["a post type that is a list", { options: { postType: ["reel"] } }],
  ["files that are texts", { media: { file: ["https://www.example.com/a.png"] } }],
  ["a file outside of a list", { media: { file: { url: "https://www.example.com/a.png" } } }],
  ["files under another name", { media: { files: [] } }],
  ["files that are a list without a name", { media: [{ url: "https://www.example.com/a.png" }] }],
  ["a file whose address is an object", { media: { file: [{ url: {}, kind: "image" }] } }],
  ["a file whose description is an object", { media: { file: [{ url: "https://x.example/a.png", alt: {} }] } }],
  ["a file of another kind", { media: { file: [{ url: "https://x.example/a.png", kind: "gif" }] } }],
  ["an operation from the prototype", { operation: "constructor" }],
  ["an operation that is a list", { operation: ["post"] }],
  ["a post without an id", { operation: "wait", postId: null, minutes: 1 }],
  ["a post whose id is an object", { operation: "wait", postId: {}, minutes: 1 }],
  ["a post whose id leads elsewhere", { operation: "wait", postId: "..", minutes: 1 }],
  ["a limit of minutes that is a list", { operation: "wait", postId: "post_1", minutes: [5] }],
  ["a limit of posts that is a text", { operation: "find", limit: "many" }],
  ["a limit of posts below one", { operation: "find", limit: 0 }],
  ["a filter that is an object", { operation: "find", limit: 1, filters: { status: {} } }],
  ["filters that are a list", { operation: "find", limit: 1, filters: ["scheduled"] }],
  ["`returnAll` as a text", { operation: "find", returnAll: "yes" }],
])("%s: an error of the item, nothing is sent for it, and the next item is posted", async (_, fields) => {
  const service = await start();
  const output = await runNode(service, [{ ...POST, ...fields }, POST]);
  expect(output).toMatchObject([
    { json: { error: expect.any(String) }, pairedItem: { item: 0 } },
    { json: { id: "post_1" }, pairedItem: { item: 1 } },
  ]);
  expect(service.calls).toHaveLength(1);
  expect(JSON.stringify(output)).not.toContain("5ecret");
});

it("equivalent values of another type are accepted", async () => {
  const service = await start();
  const luxon = { toISO: () => "2026-12-01T09:00:00.000+01:00" };
  await runNode(service, [
    { ...POST, text: 7, channels: "ch_1, ch_2" },
    { ...POST, text: null, options: null, media: "" },
    { ...POST, when: "time", publishAt: new Date(0) },
    { ...POST, when: "time", publishAt: luxon },
    { ...POST, options: { dryRun: "true" } },
  ]);
  expect(service.calls.map(({ body }) => JSON.parse(body))).toEqual([
    { text: "7", channels: ["ch_1", "ch_2"] },
    { channels: ["ch_1"] },
    { text: "Hello", channels: ["ch_1"], publish_at: "1970-01-01T00:00:00.000Z" },
    { text: "Hello", channels: ["ch_1"], publish_at: "2026-12-01T09:00:00.000+01:00" },
    { text: "Hello", channels: ["ch_1"], dry_run: true },
  ]);
});

const refusal = { error: "text_required", message: "No.", request_id: "r" };
it.each<[string, number, string]>([
  ["an error page", 500, "<html>"],
  ["no JSON", 200, "<html>"],
  ["a number", 200, "7"],
  ["nothing", 201, ""],
  ["violations that are null", 422, JSON.stringify({ ...refusal, violations: [null] })],
  ["violations that are texts", 422, JSON.stringify({ ...refusal, violations: ["x"] })],
  ["a message that is an object", 422, JSON.stringify({ ...refusal, message: {} })],
  ["a name of the prototype", 422, '{"error":"__proto__","message":"No.","__proto__":{"x":1}}'],
])("an answer that is %s is an error of the item, and the next item is posted", async (_, status, text) => {
  let calls = 0;
  const service = await start((response) => {
    if (calls++ === 0) response.writeHead(status).end(text);
    else json(response, 201, { id: "post_1" });
  });
  const output = await runNode(service, [POST, POST]);
  expect(output).toMatchObject([{ json: { error: expect.any(String) } }, { json: { id: "post_1" } }]);
  expect(JSON.stringify(output)).not.toContain("5ecret");
});

it("a redirect is an error, and no other host receives the key", async () => {
  const otherService = await start();
  const service = await start((response) => response.writeHead(307, { location: otherService.url }).end());
  expect(await runNode(service, [POST])).toMatchObject([{ json: { error: expect.stringContaining("sends on to") } }]);
  expect(otherService.calls).toEqual([]);
});

it.each([
  [{ statusCode: 999, headers: {}, body: "" }, "The service answered with the status 999."],
  [{ statusCode: 101, headers: {}, body: "" }, "The service answered with the status 101."],
])("a status that fetch does not support is an error that is not retried: %j", async (answer, message) => {
  let calls = 0;
  const context = makeExecution("http://127.0.0.1:9", { items: [POST] });
  context.helpers.httpRequestWithAuthentication = async () => {
    calls++;
    return answer;
  };
  await expect(node.execute.call(context)).rejects.toMatchObject({ name: "NodeApiError", message });
  expect(calls).toBe(1);
});

it("a header that fetch rejects does not turn an answer into an error", async () => {
  const context = makeExecution("http://127.0.0.1:9", { items: [POST] });
  context.helpers.httpRequestWithAuthentication = async () => ({
    statusCode: 201,
    headers: { "x y": "1", server: "a…\n", "set-cookie": ["a=1", "b=2"] },
    body: '{"id":"post_1"}',
  });
  expect(await node.execute.call(context)).toMatchObject([[{ json: { id: "post_1" } }]]);
});

it("an address with a password is an error that does not repeat it", async () => {
  const load = node.methods.loadOptions.getChannels.call(makeBase("https://user:5ecret@crier.example", KEY));
  const error: unknown = await load.catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ name: "NodeOperationError" });
  expect([String(error), error instanceof Error ? error.stack : ""].join()).not.toContain("5ecret");
});
