// Checks uploads as browsers send them, and files as networks read them.
import type { Answer } from "../../src/client/index.ts";
import { makePng } from "../local/png.ts";
import { expectThat, type Smoke } from "./run.ts";

const MB = 1_000_000;
const LARGE_BYTES = [101 * MB, 512 * MB];
const PAUSE_AFTER_EXPIRY_MS = 5_000;
type Upload = Answer<"media.request-upload">;

/** Checks presigned uploads, reads of files, and bodies of several sizes. */
export async function checkFiles({ member, nobody, isLarge, isSlow, isLocal, check, skip }: Smoke): Promise<void> {
  const image = new Uint8Array(makePng(64, 64, 3));
  const request = async (content_type: string, bytes: number) =>
    (await member.call("media.request-upload", { body: { content_type, bytes } })).body;
  let upload: Upload | null = null;
  await check("upload address", async () => {
    upload = await request("image/png", image.byteLength);
    return new URL(upload.upload_url).host;
  });
  if (upload === null) return;
  const { upload_url, public_url, expires_at }: Upload = upload;
  const putBody = async (body: BodyInit, type: string, url = upload_url) =>
    (await fetch(url, { method: "PUT", body, headers: { "content-type": type } })).status;
  const refused = (name: string, body: () => Uint8Array<ArrayBuffer>, type: string) =>
    check(name, async () => {
      const status = await putBody(body(), type);
      expectThat(status >= 400 && status < 500, `the bucket answered ${status}`);
      return `refused with ${status}`;
    });
  await refused("upload, wrong length", () => image.slice(1), "image/png");
  await refused("upload, wrong type", () => image, "text/html");
  await check("upload", async () => {
    const status = await putBody(image, "image/png");
    expectThat(status === 200, `the bucket answered ${status}`);
    return `${image.byteLength} bytes`;
  });
  if (isLocal) skip("upload, preflight", "the local bucket has no CORS rules");
  else
    await check("upload, preflight", async () => {
      const { origin } = new URL(nobody.url);
      const headers = {
        origin,
        "access-control-request-method": "PUT",
        "access-control-request-headers": "content-type",
      };
      const answer = await fetch(upload_url, { method: "OPTIONS", headers });
      const allowed = answer.headers.get("access-control-allow-origin");
      expectThat(answer.ok && (allowed === origin || allowed === "*"), `${answer.status}, allowed: ${allowed}`);
      return `allowed from ${origin}`;
    });
  if (!isSlow) skip("upload, expired", "takes 15 minutes: --slow");
  else
    await check("upload, expired", async () => {
      const waitMs = Date.parse(expires_at) - member.now() + PAUSE_AFTER_EXPIRY_MS;
      await new Promise((end) => setTimeout(end, waitMs));
      const status = await putBody(image, "image/png");
      expectThat(status === 403, `the bucket answered ${status}`);
      return `refused with ${status}`;
    });
  await check("read, HEAD", async () => {
    const { status, headers } = await fetch(public_url, { method: "HEAD" });
    const length = headers.get("content-length");
    expectThat(status === 200 && length === String(image.byteLength), `${status}, ${length} bytes`);
    return `${length} bytes, ${headers.get("content-type")}`;
  });
  await check("read, a range", async () => {
    const answer = await fetch(public_url, { headers: { range: "bytes=8-15" } });
    const bytes = new Uint8Array(await answer.arrayBuffer());
    const isSame = Buffer.from(bytes).equals(Buffer.from(image.slice(8, 16)));
    expectThat(answer.status === 206 && isSame, `${answer.status}, ${bytes.byteLength} bytes`);
    return "206, the right bytes";
  });
  for (const bytes of [10 * MB, ...LARGE_BYTES]) {
    const name = `upload of ${bytes / MB} MB`;
    if (bytes > 10 * MB && !isLarge) {
      skip(name, "only with --large");
      continue;
    }
    await check(name, async () => {
      const large = await request("video/mp4", bytes);
      const before = performance.now();
      const status = await putBody(new Blob([new Uint8Array(bytes)]), "video/mp4", large.upload_url);
      expectThat(status === 200, `the bucket answered ${status}`);
      return `${Math.round(performance.now() - before)} ms`;
    });
  }
}
