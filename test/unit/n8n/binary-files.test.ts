// Files in the binary fields of an item: they are uploaded once, with n8n's own requests, and named in the post.
import { afterEach, describe, expect, it } from "vitest";
import { Crier } from "../../../src/n8n/nodes/Crier/Crier.node.ts";
import { type Execution, executionOf } from "../../support/n8n.ts";
import { type Answer, json, type Service, startService } from "../cli/service.ts";

const open: Service[] = [];
afterEach(async () => {
  for (const service of open.splice(0)) await service.close();
});
const node = new Crier();
const run = ({ url }: Service, execution: Execution) => node.execute.call(executionOf(url, execution));
const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => expect.fail("it went well"),
    (error: Error & { description?: string }) => error,
  );

/** A service with a bucket of its own; `refuse` answers a post instead of it. */
async function startUploads(refuse: Answer | null = null) {
  let files = 0;
  const state: { refuse: Answer | null; bucketStatus: number; breaks: number } = {
    refuse,
    bucketStatus: 200,
    breaks: 0,
  };
  const service = await startService((response, call, request) => {
    if (call.path === "/v1/media/upload-url") {
      const id = `med_${++files}`;
      const upload_url = `${service.url}/bucket/${id}?signature=s`;
      const headers = { "Content-Type": JSON.parse(call.body).content_type };
      return json(response, 201, {
        upload_url,
        headers,
        method: "PUT",
        expires_at: "2100-01-01T00:00:00Z",
        media: { id },
      });
    }
    if (call.path.startsWith("/bucket/") && state.breaks-- > 0) return response.destroy();
    if (call.path.startsWith("/bucket/")) return json(response, state.bucketStatus, {});
    if (call.method === "DELETE") return json(response, 204, {});
    if (call.path === "/v1/media") return json(response, 201, { id: "med_address" });
    if (state.refuse !== null) return state.refuse(response, call, request);
    return json(response, 201, { id: "post_1", status: "queued" });
  });
  open.push(service);
  return Object.assign(service, {
    state,
    callsTo: (path: string) => service.calls.filter((call) => call.path.startsWith(path)),
  });
}

const PICTURE = Uint8Array.of(0xff, 0xd8, 0xff, 0xe0);
const binary = { data: { mimeType: "image/jpeg", fileName: "loom.jpg", content: PICTURE } };
const POST = { operation: "post", text: "Hello", channels: ["ch_1"], when: "now" };
const withFiles = (...file: object[]) => [{ ...POST, media: { file } }];
const ITEMS = withFiles({ url: "", binaryField: "data", alt: "A loom", kind: "auto" });

describe("a file in a binary field", () => {
  it("is uploaded as it is, without the key, and the post names it in its place", async () => {
    const service = await startUploads();
    const items = withFiles({ url: "https://www.example.com/a.png" }, { binaryField: "data", alt: "A loom" });
    await run(service, { items, binary });
    const [asked] = service.callsTo("/v1/media/upload-url");
    expect(JSON.parse(asked?.body ?? "")).toEqual({ content_type: "image/jpeg", bytes: 4, alt: "A loom" });
    const [sent] = service.callsTo("/bucket/");
    expect([sent?.method, sent?.path, sent?.headers["content-type"]]).toEqual([
      "PUT",
      "/bucket/med_1?signature=s",
      "image/jpeg",
    ]);
    expect(Buffer.from(sent?.body ?? "", "latin1")).toEqual(Buffer.from(PICTURE));
    expect(sent?.headers.authorization).toBeUndefined();
    const [post] = service.callsTo("/v1/posts");
    expect(JSON.parse(post?.body ?? "").media).toEqual(["med_address", "med_1"]);
  });

  it("is uploaded once, also if its execution is retried", async () => {
    const service = await startUploads((response) => json(response, 422, { error: "text_required", message: "No." }));
    const context = {};
    await failure(run(service, { items: ITEMS, binary, context, id: "71" }));
    service.state.refuse = null;
    await run(service, { items: ITEMS, binary, context: JSON.parse(JSON.stringify(context)), id: "72" });
    expect(service.callsTo("/bucket/")).toHaveLength(1);
    const posts = service.callsTo("/v1/posts").map(({ body }) => JSON.parse(body).media);
    expect(posts).toEqual([["med_1"], ["med_1"]]);
    const changed = { data: { ...binary.data, content: PICTURE.with(3, 0) } };
    await run(service, { items: ITEMS, binary: changed, context: JSON.parse(JSON.stringify(context)), id: "73" });
    expect(service.callsTo("/bucket/")).toHaveLength(2);
  });

  it("is only described in a dry run", async () => {
    const service = await startUploads();
    await run(service, { items: [{ ...ITEMS[0], options: { dryRun: true } }], binary });
    expect(service.calls.map(({ path }) => path)).toEqual(["/v1/posts"]);
    expect(JSON.parse(service.calls[0]?.body ?? "").media_preview).toEqual([
      { kind: "image", type: "image/jpeg", bytes: 4, alt: "A loom" },
    ]);
  });

  it("is sent again if the connection to the bucket breaks", async () => {
    const service = await startUploads();
    service.state.breaks = 1;
    await run(service, { items: ITEMS, binary });
    expect(service.callsTo("/bucket/")).toHaveLength(2);
    expect(service.callsTo("/v1/posts")).toHaveLength(1);
  });

  it("that the bucket refuses is an error, and nothing is posted or left behind", async () => {
    const service = await startUploads();
    service.state.bucketStatus = 400;
    const { message } = await failure(run(service, { items: ITEMS, binary }));
    expect(message).toContain("loom.jpg could not be uploaded");
    expect(service.callsTo("/v1/posts")).toEqual([]);
    expect(service.calls.at(-1)).toMatchObject({ method: "DELETE", path: "/v1/media/med_1" });
  });
});

describe("a file that cannot be understood", () => {
  it.each([
    ["a field that the item does not have", { binaryField: "other" }, "to contain 'other'"],
    ["a URL and a field", { url: "https://a.example/a.png", binaryField: "data" }, "a URL and a binary field"],
    ["a field with another file", { binaryField: "text" }, "neither an image nor a video"],
  ])("because it names %s is an error of its item, and nothing is sent", async (_what, file, message) => {
    const service = await startUploads();
    const text = { mimeType: "text/plain", content: PICTURE };
    const error = await failure(run(service, { items: withFiles(file), binary: { ...binary, text } }));
    expect(error.message).toContain(message);
    expect(service.calls).toEqual([]);
  });
});
