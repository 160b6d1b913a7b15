// Files in the binary fields of an item are uploaded once, with n8n's own requests, and then named in the post.
import { afterEach, describe, expect, it } from "vitest";
import { Crier } from "../../../src/n8n/nodes/Crier/Crier.node.ts";
import { type Execution, makeExecution } from "../../support/n8n.ts";
import { type Answer, json, type Service, startService } from "../cli/service.ts";

const open: Service[] = [];
afterEach(async () => {
  for (const service of open.splice(0)) await service.close();
});
const node = new Crier();
const runNode = ({ url }: Service, execution: Execution) => node.execute.call(makeExecution(url, execution));
const catchError = (promise: Promise<unknown>) =>
  promise.then(
    () => expect.fail("it went well"),
    (error: Error & { description?: string }) => error,
  );

/** Starts a service with its own bucket; `refuse` answers posts instead of it. */
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
const makeItems = (...file: object[]) => [{ ...POST, media: { file } }];
const ITEMS = makeItems({ url: "", binaryField: "data", alt: "A loom", kind: "auto" });

describe("a file in a binary field", () => {
  it("a file in a binary field is uploaded unchanged and without the key, and the post names it in its position", async () => {
    const service = await startUploads();
    const items = makeItems({ url: "https://www.example.com/a.png" }, { binaryField: "data", alt: "A loom" });
    await runNode(service, { items, binary });
    const [uploadRequest] = service.callsTo("/v1/media/upload-url");
    expect(JSON.parse(uploadRequest?.body ?? "")).toEqual({
      content_type: "image/jpeg",
      bytes: 4,
      alt: "A loom",
      name: "loom.jpg",
    });
    const [upload] = service.callsTo("/bucket/");
    expect([upload?.method, upload?.path, upload?.headers["content-type"]]).toEqual([
      "PUT",
      "/bucket/med_1?signature=s",
      "image/jpeg",
    ]);
    expect(Buffer.from(upload?.body ?? "", "latin1")).toEqual(Buffer.from(PICTURE));
    expect(upload?.headers.authorization).toBeUndefined();
    const [post] = service.callsTo("/v1/posts");
    expect(JSON.parse(post?.body ?? "").media).toEqual(["med_address", "med_1"]);
  });

  it("a file in a binary field is uploaded once, even if the execution is retried", async () => {
    const service = await startUploads((response) => json(response, 422, { error: "text_required", message: "No." }));
    const context = {};
    await catchError(runNode(service, { items: ITEMS, binary, context, id: "71" }));
    service.state.refuse = null;
    await runNode(service, { items: ITEMS, binary, context: JSON.parse(JSON.stringify(context)), id: "72" });
    expect(service.callsTo("/bucket/")).toHaveLength(1);
    const posts = service.callsTo("/v1/posts").map(({ body }) => JSON.parse(body).media);
    expect(posts).toEqual([["med_1"], ["med_1"]]);
    const changed = { data: { ...binary.data, content: PICTURE.with(3, 0) } };
    await runNode(service, { items: ITEMS, binary: changed, context: JSON.parse(JSON.stringify(context)), id: "73" });
    expect(service.callsTo("/bucket/")).toHaveLength(2);
  });

  it("a dry run only describes a file in a binary field", async () => {
    const service = await startUploads();
    await runNode(service, { items: [{ ...ITEMS[0], options: { dryRun: true } }], binary });
    expect(service.calls.map(({ path }) => path)).toEqual(["/v1/posts"]);
    expect(JSON.parse(service.calls[0]?.body ?? "").media_preview).toEqual([
      { kind: "image", type: "image/jpeg", bytes: 4, alt: "A loom" },
    ]);
  });

  it("an upload is repeated if the connection to the bucket breaks", async () => {
    const service = await startUploads();
    service.state.breaks = 1;
    await runNode(service, { items: ITEMS, binary });
    expect(service.callsTo("/bucket/")).toHaveLength(2);
    expect(service.callsTo("/v1/posts")).toHaveLength(1);
  });

  it("a file that the bucket refuses is an error, and neither a post nor a file remains", async () => {
    const service = await startUploads();
    service.state.bucketStatus = 400;
    const { message } = await catchError(runNode(service, { items: ITEMS, binary }));
    expect(message).toContain("loom.jpg could not be uploaded");
    expect(service.callsTo("/v1/posts")).toEqual([]);
    expect(service.calls.at(-1)).toMatchObject({ method: "DELETE", path: "/v1/media/med_1" });
  });
});

describe("an invalid file of an item", () => {
  it.each([
    ["a field that the item does not have", { binaryField: "other" }, "to contain 'other'"],
    ["a URL and a field", { url: "https://a.example/a.png", binaryField: "data" }, "a URL and a binary field"],
    ["a field with another file", { binaryField: "text" }, "neither an image nor a video"],
  ])("a file with %s is an error of its item, and nothing is sent", async (_mistake, file, message) => {
    const service = await startUploads();
    const text = { mimeType: "text/plain", content: PICTURE };
    const error = await catchError(runNode(service, { items: makeItems(file), binary: { ...binary, text } }));
    expect(error.message).toContain(message);
    expect(service.calls).toEqual([]);
  });
});
