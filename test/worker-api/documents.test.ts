// Documents: uploaded as such, listed on request only, and accepted by networks that take documents.
import { describe, expect, it } from "vitest";
import { eventually } from "../support/eventually.ts";
import {
  type Account,
  call,
  connect,
  finished,
  getPost,
  ledger,
  post,
  signUp,
  upload,
  uploadJpeg,
} from "../support/world.ts";

const encode = (text: string) => new Uint8Array(new TextEncoder().encode(text));
const PDF = encode("%PDF-1.4\n<< /Type /Page >>\n");
const PPTX = "application/vnd.openxmlformats-officedocument.presentationml.presentation";

const request = ({ key }: Account, body: object) =>
  call<{ error: string; hint: string; media: { id: string; kind: string } }>("POST", "/v1/media/upload-url", {
    token: key,
    body,
  });

async function uploadPdf(account: Account, fields: object = {}): Promise<string> {
  const { id } = await upload(account, PDF, "application/pdf", undefined, { document: true, ...fields });
  return id;
}

describe("the upload of a document", () => {
  it("is refused without `document`, and with it for images and videos", async () => {
    const account = await signUp();
    expect(await request(account, { content_type: "application/pdf", bytes: 10 })).toMatchObject({
      status: 422,
      body: { error: "content_type_not_allowed", hint: expect.stringContaining("`document: true`") },
    });
    expect(await request(account, { content_type: "image/jpeg", bytes: 10, document: true })).toMatchObject({
      status: 422,
      body: { error: "content_type_not_allowed", hint: expect.stringContaining("application/pdf") },
    });
    for (const content_type of ["application/pdf", PPTX])
      expect(await request(account, { content_type, bytes: 100_000_000, document: true })).toMatchObject({
        status: 201,
        body: { media: { kind: "document" } },
      });
    expect(await request(account, { content_type: PPTX, bytes: 100_000_001, document: true })).toMatchObject({
      status: 422,
      body: { error: "media_too_large" },
    });
  });

  it("is listed only with its kind or its id", async () => {
    const account = await signUp();
    const id = await uploadPdf(account, { name: "slides.pdf" });
    const image = await uploadJpeg(account);
    const list = async (query: string) => {
      const { body } = await call<{ media: { id: string }[] }>("GET", `/v1/media${query}`, { token: account.key });
      return body.media.map((file) => file.id);
    };
    expect(await list("")).toEqual([image.id]);
    expect(await list("?q=slides")).toEqual([]);
    expect(await list("?kind=document")).toEqual([id]);
    expect(await list("?kind=document&q=slides")).toEqual([id]);
    expect(await list(`?ids=${id}`)).toEqual([id]);
    const register = { url: "https://www.example.com/a.pdf", kind: "document" };
    expect(await call("POST", "/v1/media", { token: account.key, body: register })).toMatchObject({ status: 422 });
  });
});

describe("a post with a document", () => {
  it("goes out on LinkedIn with its title", async () => {
    const account = await signUp();
    const { id: channel, handle } = await connect(account.key, "linkedin");
    const media = await uploadPdf(account);
    const overrides = { [channel]: { document_title: "Slides" } };
    const { id } = await post(account.key, { channels: [channel], text: "our slides", media: [media], overrides });
    expect((await finished(account.key, id)).status).toBe("published");
    expect(await ledger(handle)).toMatchObject([
      { text: "our slides", media: [{ type: "application/pdf" }], detail: { title: "Slides" } },
    ]);
  });

  it("goes out on Telegram with others, and is pinned", async () => {
    const account = await signUp();
    const { id: channel, handle } = await connect(account.key, "telegram");
    const media = [await uploadPdf(account, { name: "plan.pdf" }), await uploadPdf(account)];
    const overrides = { [channel]: { pin: true } };
    const { id } = await post(account.key, { channels: [channel], text: "our plans", media, overrides });
    expect((await finished(account.key, id)).status).toBe("published");
    await eventually(async () =>
      expect((await getPost(account.key, id)).deliveries[0]?.additions).toEqual({ pin: "done" }),
    );
    expect(await ledger(handle)).toMatchObject([
      {
        text: "our plans",
        media: [{ type: "application/pdf" }, { type: "application/pdf" }],
        detail: { pinned: true },
      },
    ]);
  });

  it("is refused by networks without documents, beside images, and as a second document", async () => {
    const account = await signUp();
    const [linkedin, x] = [await connect(account.key, "linkedin"), await connect(account.key, "x")];
    const [first, second] = [await uploadPdf(account), await uploadPdf(account)];
    const image = await uploadJpeg(account);
    const check = async (channels: string[], media: string[], overrides = {}) => {
      const body = { channels, text: "x", media, overrides, dry_run: true };
      const answer = await call<{ violations: { code: string; platform: string; limit?: number }[] }>(
        "POST",
        "/v1/posts",
        { token: account.key, body },
      );
      return answer.body.violations.map(({ code, platform, limit }) => `${platform} ${code} ${limit}`);
    };
    expect(await check([linkedin.id, x.id], [first])).toEqual(["x document_not_offered 0"]);
    expect(await check([linkedin.id], [first, second])).toEqual(["linkedin document_not_offered 1"]);
    expect(await check([linkedin.id], [first, image.id])).toEqual(["linkedin mixed_media_not_allowed undefined"]);
    expect(await check([linkedin.id], [image.id], { [linkedin.id]: { document_title: "T" } })).toEqual([
      "linkedin invalid_option undefined",
    ]);
  });

  it("is refused if the file is no document of its type", async () => {
    const account = await signUp();
    const { id: channel } = await connect(account.key, "linkedin");
    const media = await upload(account, encode("plain text"), "application/pdf", undefined, { document: true });
    const body = { channels: [channel], text: "x", media: [media.id] };
    expect(await call("POST", "/v1/posts", { token: account.key, body })).toMatchObject({
      status: 422,
      body: { error: "media_format_not_allowed" },
    });
  });
});
