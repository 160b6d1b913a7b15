// The action node of n8n: its calls of the service, its repeats and its errors.
import type { IExecuteFunctions, INodeExecutionData } from "n8n-workflow";
import { afterEach, expect, it } from "vitest";
import { Crier } from "../../../src/n8n/nodes/Crier/Crier.node.ts";
import { type Execution, makeBase, makeExecution } from "../../support/n8n.ts";
import { type Answer, json, type Service, startService } from "../cli/service.ts";

const open: Service[] = [];
afterEach(async () => {
  for (const service of open.splice(0)) await service.close();
});
async function start(answer: Answer): Promise<Service> {
  const service = await startService(answer);
  open.push(service);
  return service;
}
const node = new Crier();
const executeNode = (context: IExecuteFunctions): Promise<INodeExecutionData[][]> => node.execute.call(context);
const runNode = ({ url }: Service, execution: Execution) => executeNode(makeExecution(url, execution));
const POST = { operation: "post", text: "Hello", channels: ["ch_1"], when: "now" };
const catchError = (promise: Promise<unknown>) =>
  promise.then(
    () => Promise.reject(new Error("it went well")),
    (error: unknown) => error,
  );

/** Starts a service that gives ids to files, and returns the same post for a repeated idempotency key. */
async function startPosts(): Promise<Service & { posts: Map<string, string>; refused: Set<string> }> {
  const posts = new Map<string, string>();
  const refused = new Set<string>();
  let files = 0;
  const service = await start((response, { path, body, headers }) => {
    if (path === "/v1/media") return json(response, 201, { id: `med_${++files}` });
    const key = String(headers["idempotency-key"]);
    const { text } = JSON.parse(body);
    if (refused.has(text)) return json(response, 422, { error: "text_required", message: "No.", request_id: "r" });
    const storedBody = posts.get(key);
    if (storedBody !== undefined && storedBody !== body)
      return json(response, 422, { error: "idempotency_key_reused", message: "Another body.", request_id: "r" });
    posts.set(key, body);
    json(response, storedBody === undefined ? 201 : 200, {
      id: `post_${[...posts.keys()].indexOf(key)}`,
      status: "queued",
    });
  });
  return Object.assign(service, { posts, refused });
}

it("a post is created from the fields of the item, with the key of the credential", async () => {
  const service = await startPosts();
  const options = {
    labels: "winter, sale",
    overrides: '{ "ch_1": { "text": "Shorter" } }',
    postType: "reel",
    mediaFit: "adapt",
    repeat: '{"every":"week","weekdays":[1]}',
    idempotencyKey: "mine",
  };
  const items = [
    { ...POST, when: "time", publishAt: "2026-12-01T09:00:00", options },
    { ...POST, when: "slot" },
    { ...POST, when: "draft", text: "" },
  ];
  const [posts = []] = await runNode(service, { items });
  expect(posts.map(({ json: post, pairedItem }) => [post.id, pairedItem])).toEqual([
    ["post_0", { item: 0 }],
    ["post_1", { item: 1 }],
    ["post_2", { item: 2 }],
  ]);
  expect(service.calls.map(({ body }) => JSON.parse(body))).toEqual([
    {
      text: "Hello",
      channels: ["ch_1"],
      publish_at: "2026-12-01T09:00:00",
      labels: ["winter", "sale"],
      overrides: { ch_1: { text: "Shorter" } },
      post_type: "reel",
      media_fit: "adapt",
      repeat: { every: "week", weekdays: [1] },
    },
    { text: "Hello", channels: ["ch_1"], publish_at: "next_slot" },
    { channels: ["ch_1"], draft: true },
  ]);
  expect(service.calls[0]).toMatchObject({
    method: "POST",
    path: "/v1/posts",
    headers: { authorization: "Bearer crier_live_key", "idempotency-key": "mine" },
  });
});

it("each item of each run of each node creates one post, in every execution and instance", async () => {
  const service = await startPosts();
  const items = [POST, POST];
  const variants = [{}, { id: "72" }, { runIndex: 1 }, { node: "node-2" }, { instance: "instance-2" }];
  for (const variant of variants) await runNode(service, { items, ...variant });
  expect(service.posts.size).toBe(items.length * variants.length);
  for (const key of service.posts.keys()) expect(key).toMatch(/^n8n-[0-9a-f]{64}$/);
  // When n8n retries a node, the execution keeps its id.
  for (const variant of variants) await runNode(service, { items, ...variant });
  expect(service.posts.size).toBe(items.length * variants.length);
});

it("an execution that is retried under another id creates only the missing posts, even with files", async () => {
  const service = await startPosts();
  const media = { file: [{ url: "https://www.example.com/a.png?size=2", alt: "A dot", kind: "auto" }] };
  const items = [
    { ...POST, media },
    { ...POST, text: "Refused" },
  ];
  const context = {};
  service.refused.add("Refused");
  expect(await catchError(runNode(service, { items, id: "71", context }))).toMatchObject({ name: "NodeApiError" });
  service.refused.clear();
  // n8n stores the context as JSON.
  const [results = []] = await runNode(service, { items, id: "72", context: JSON.parse(JSON.stringify(context)) });
  expect(results.map(({ json: { id } }) => id)).toEqual(["post_0", "post_1"]);
  expect(service.posts.size).toBe(2);
  const registered = service.calls.filter(({ path }) => path === "/v1/media");
  expect(registered.map(({ body }) => JSON.parse(body))).toEqual([
    { url: "https://www.example.com/a.png?size=2", alt: "A dot", kind: "image" },
  ]);
});

it("a dry run registers no file and creates no post", async () => {
  const service = await startPosts();
  const media = { file: [{ url: "https://www.example.com/a", alt: "", kind: "video" }] };
  await runNode(service, { items: [{ ...POST, media, options: { dryRun: true } }] });
  expect(service.calls.map(({ path, body }) => [path, JSON.parse(body)])).toEqual([
    ["/v1/posts", { text: "Hello", channels: ["ch_1"], dry_run: true, media_preview: [{ kind: "video", alt: null }] }],
  ]);
});

it("a refusal is an error with the message, the hint and every violation", async () => {
  const violations = [
    { code: "text_too_long", field: "/text", channel: "ch_1", message: "It is 12 too long.", hint: "Shorten it." },
    { code: "media_required", field: "/media", message: "A file is required." },
  ];
  const body = { error: "text_too_long", message: "It is 12 too long.", hint: "See both.", violations };
  const service = await start((response) => json(response, 422, { ...body, request_id: "req_1", more_violations: 3 }));
  const error = await catchError(runNode(service, { items: [POST] }));
  expect(error).toMatchObject({
    name: "NodeApiError",
    message: "It is 12 too long.",
    httpCode: "422",
    context: { itemIndex: 0 },
    description: [
      "See both.",
      "text_too_long: /text (ch_1) It is 12 too long. Shorten it.",
      "media_required: /media A file is required.",
      "And 3 more.",
    ].join("\n"),
  });
  const [results] = await runNode(service, { items: [POST], continueOnFail: true });
  expect(results).toMatchObject([{ json: { error: "It is 12 too long." }, pairedItem: { item: 0 } }]);
});

it.each([
  ["overrides that are not an object", { options: { overrides: "[1]" } }, "Overrides is not a JSON object"],
  [
    "a file whose address does not say its kind",
    { media: { file: [{ url: "https://x.example/a", kind: "auto" }] } },
    "The type of the file cannot be determined from its address: https://x.example/a",
  ],
])("%s: an error of the item, and the service is not called", async (_, fields, message) => {
  const service = await startPosts();
  const error = await catchError(runNode(service, { items: [{ ...POST, ...fields }] }));
  expect(error).toMatchObject({ name: "NodeOperationError", message, context: { itemIndex: 0 } });
  expect(service.calls).toEqual([]);
});

it("posts are found with the filters, page by page, up to the limit or completely", async () => {
  const service = await start((response, { path }) => {
    const isFirst = !path.includes("cursor");
    json(response, 200, { posts: isFirst ? [{ id: "a" }, { id: "b" }] : [{ id: "c" }], next: isFirst ? "n" : null });
  });
  const filters = { status: "scheduled", q: "winter sale", label: "" };
  const find = { operation: "find", filters };
  const [allPosts = []] = await runNode(service, { items: [{ ...find, returnAll: true }] });
  expect(allPosts.map(({ json: { id } }) => id)).toEqual(["a", "b", "c"]);
  expect(service.calls[1]?.path).toBe("/v1/posts?status=scheduled&q=winter+sale&label=&limit=200&cursor=n");
  const [firstTwo = []] = await runNode(service, { items: [{ ...find, limit: 2 }] });
  expect(firstTwo).toHaveLength(2);
  expect(service.calls).toHaveLength(3);
  expect(service.calls[2]?.path).toContain("limit=2");
});

const makePost = (status: string) => ({ id: "post_1", status, deliveries: [] });

it("a wait ends with the post once all deliveries have ended", async () => {
  const states = ["publishing", "publishing", "partially_published"];
  const service = await start((response) => json(response, 200, makePost(states.shift() ?? "gone")));
  const [results] = await runNode(service, { items: [{ operation: "wait", postId: "post_1", minutes: 5 }] });
  expect(results).toMatchObject([{ json: { id: "post_1", status: "partially_published" } }]);
  expect(states).toEqual([]);
});

it("a wait fails at its time limit, when the execution is stopped, and with an invalid limit", async () => {
  const stop = new AbortController();
  const service = await start((response) => json(response, 200, makePost("scheduled")));
  const items = [{ operation: "wait", postId: "post_1", minutes: 0.001 }];
  expect(await catchError(runNode(service, { items }))).toMatchObject({
    name: "NodeOperationError",
    message: "The post has not finished after 0.001 minutes",
  });
  stop.abort(new Error("stopped"));
  const stopped = runNode(service, { items: [{ ...items[0], minutes: 5 }], signal: stop.signal });
  expect(await catchError(stopped)).toMatchObject({ message: "stopped" });
  const withoutLimit = runNode(service, { items: [{ ...items[0], minutes: "soon" }] });
  expect(await catchError(withoutLimit)).toMatchObject({
    message: "The limit must be a number of minutes up to 10080",
  });
});

it("channels are offered by name, with the reason why one cannot publish", async () => {
  const channel = { id: "ch_1", platform: "somewhere", handle: "@ada", state: "connected" };
  const channels = [channel, { ...channel, id: "ch_2", handle: "@bob", state: "needs_reconnect" }];
  const service = await start((response) => json(response, 200, { channels, next: null }));
  expect(await node.methods.loadOptions.getChannels.call(makeBase(service.url, "key"))).toEqual([
    { name: "@ada (somewhere)", value: "ch_1", description: undefined },
    { name: "@bob (somewhere)", value: "ch_2", description: "Cannot publish now: needs_reconnect" },
  ]);
});

it("a call whose answer is lost is repeated under the same idempotency key", async () => {
  let n = 0;
  const service = await start((response) => {
    if (n++ === 0) response.socket?.destroy();
    else json(response, 201, { id: "post_1" });
  });
  await runNode(service, { items: [POST] });
  const keys = service.calls.map(({ headers }) => headers["idempotency-key"]);
  expect(keys).toHaveLength(2);
  expect(keys[0]).toBe(keys[1]);
});
