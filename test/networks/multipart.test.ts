import { expect, it } from "vitest";
import { retryAt } from "../../src/networks/shared/http-call.ts";
import { multipart } from "../../src/networks/shared/multipart.ts";
import { joinPieces } from "../support/joined.ts";

it("a form has the length that it announces, and can be read back unchanged", async () => {
  const bytes = crypto.getRandomValues(new Uint8Array(65_536));
  const file = {
    name: "photo",
    fileName: "a.png",
    contentType: "image/png",
    bytes: bytes.byteLength,
    open: async () => new Blob([bytes]).stream(),
  };
  const form = multipart([{ name: "caption", value: "Grüße\r\n--x" }, file], "boundary123");
  const whole = new Uint8Array(await new Response(joinPieces(form.pieces(), form.bytes)).arrayBuffer());
  expect(whole.byteLength).toBe(form.bytes);
  const parsed = await new Response(whole, { headers: { "content-type": form.contentType } }).formData();
  expect(parsed.get("caption")).toBe("Grüße\r\n--x");
  const photo = parsed.get("photo");
  if (!(photo instanceof File)) throw new Error("no file");
  expect(photo).toMatchObject({ name: "a.png", type: "image/png" });
  expect(new Uint8Array(await photo.arrayBuffer())).toEqual(bytes);
});

it.each([
  [{ "retry-after": "30" }, 30_000],
  [{ "retry-after": "Thu, 01 Jan 1970 00:20:00 GMT" }, 200_000],
  [{ "ratelimit-reset": "1000000100" }, undefined],
  [{ "retry-after": "99999999" }, 6 * 3_600_000],
  [{ "retry-after": "-5" }, undefined],
  [{ "retry-after": "soon" }, undefined],
  [{ "retry-after": "0" }, undefined],
  [{}, undefined],
])("%j is a wait of %s ms", (headers: Record<string, string>, wait) => {
  const now = 1_000_000;
  const retryTime = retryAt(new Headers(headers), now);
  if ("ratelimit-reset" in headers) expect(retryTime).toBe(now + 6 * 3_600_000);
  else expect(retryTime).toBe(wait === undefined ? undefined : now + wait);
});
