// Invalid values for the media library, field by field, and the largest valid value of each field.
import { describe, expect, it } from "vitest";
import { call } from "../support/world.ts";
import { foreign, image, refusal, send, stranger, withAccounts } from "./bad-media.ts";

withAccounts();

describe("POST /v1/media/upload-url", () => {
  it.each<[object, string, string]>([
    [{}, "missing_field", "/content_type"],
    [{ content_type: "image/png" }, "missing_field", "/bytes"],
    [{ bytes: 1 }, "missing_field", "/content_type"],
    [{ content_type: null, bytes: 1 }, "invalid_field", "/content_type"],
    [{ content_type: ["image/png"], bytes: 1 }, "invalid_field", "/content_type"],
    [{ content_type: "", bytes: 1 }, "content_type_not_allowed", "/content_type"],
    [{ content_type: "image/svg+xml", bytes: 1 }, "content_type_not_allowed", "/content_type"],
    [{ content_type: "image/heif", bytes: 1 }, "content_type_not_allowed", "/content_type"],
    [{ content_type: "text/html", bytes: 1 }, "content_type_not_allowed", "/content_type"],
    [{ content_type: "image/png; charset=x", bytes: 1 }, "content_type_not_allowed", "/content_type"],
    [{ content_type: " image/png", bytes: 1 }, "content_type_not_allowed", "/content_type"],
    [{ content_type: "image/png\r\nX: y", bytes: 1 }, "content_type_not_allowed", "/content_type"],
    [{ content_type: "constructor", bytes: 1 }, "content_type_not_allowed", "/content_type"],
    [{ content_type: "image/png", bytes: null }, "invalid_field", "/bytes"],
    [{ content_type: "image/png", bytes: 0 }, "invalid_field", "/bytes"],
    [{ content_type: "image/png", bytes: -1 }, "invalid_field", "/bytes"],
    [{ content_type: "image/png", bytes: 1.5 }, "invalid_field", "/bytes"],
    [{ content_type: "image/png", bytes: "1" }, "invalid_field", "/bytes"],
    [{ content_type: "image/png", bytes: true }, "invalid_field", "/bytes"],
    [{ content_type: "image/png", bytes: [1] }, "invalid_field", "/bytes"],
    [{ content_type: "image/png", bytes: 2 ** 53 }, "invalid_field", "/bytes"],
    [{ content_type: "image/png", bytes: 26_214_401 }, "media_too_large", "/bytes"],
    [{ content_type: "image/gif", bytes: 26_214_401 }, "media_too_large", "/bytes"],
    [{ content_type: "video/mp4", bytes: 536_870_913 }, "media_too_large", "/bytes"],
    [{ content_type: "image/png", bytes: 1, alt: 1 }, "invalid_field", "/alt"],
    [{ content_type: "image/png", bytes: 1, alt: "a".repeat(2_001) }, "alt_too_long", "/alt"],
    [{ content_type: "image/png", bytes: 1, alt: "😀".repeat(2_001) }, "alt_too_long", "/alt"],
    [{ content_type: "image/png", bytes: 1, alt: "\0" }, "invalid_field", "/alt"],
    [{ content_type: "image/png", bytes: 1, url: "https://example.com/a.png" }, "unknown_field", "/url"],
    [{ content_type: "image/png", bytes: 1, kind: "image" }, "unknown_field", "/kind"],
  ])("rejects the upload %j with %s", async (body, error, field) => {
    expect(await send("POST", "/v1/media/upload-url", body)).toMatchObject(refusal(error, field));
  });

  it.each(["1e400", "9007199254740993", "-0", "1e-1"])("rejects an upload of %s bytes", async (bytes) => {
    const body = `{"content_type":"image/png","bytes":${bytes}}`;
    expect(await send("POST", "/v1/media/upload-url", body)).toMatchObject(refusal("invalid_field", "/bytes"));
  });

  it.each([
    { content_type: "image/png", bytes: 1 },
    { content_type: "image/webp", bytes: 26_214_400, alt: null },
    { content_type: "image/heic", bytes: 1 },
    { content_type: "video/quicktime", bytes: 536_870_912 },
    { content_type: "image/jpeg", bytes: 1, alt: "a".repeat(2_000) },
    { content_type: "image/jpeg", bytes: 1, alt: "😀".repeat(2_000) },
  ])("accepts the valid upload number %#", async (body) => {
    expect(await send("POST", "/v1/media/upload-url", body)).toMatchObject({ status: 201 });
  });
});

describe("POST /v1/media", () => {
  const url = "https://example.com/a.png";
  it.each<[object, string, string]>([
    [{}, "missing_field", "/url"],
    [{ url }, "missing_field", "/kind"],
    [{ url: null, kind: "image" }, "invalid_field", "/url"],
    [{ url: [url], kind: "image" }, "invalid_field", "/url"],
    [{ url: "", kind: "image" }, "url_not_public", "/url"],
    [{ url: "example.com/a.png", kind: "image" }, "url_not_public", "/url"],
    [{ url: "ftp://example.com/a.png", kind: "image" }, "url_not_https", "/url"],
    [{ url: "file:///etc/passwd", kind: "image" }, "url_not_https", "/url"],
    [{ url: "data:image/png;base64,AAAA", kind: "image" }, "url_not_https", "/url"],
    [{ url: "javascript:alert(1)", kind: "image" }, "url_not_https", "/url"],
    [{ url: "https://user:pw@example.com/a.png", kind: "image" }, "url_not_public", "/url"],
    [{ url: `https://example.com/${"a".repeat(2_048)}`, kind: "image" }, "url_not_public", "/url"],
    [{ url: "https://example.com/\0", kind: "image" }, "invalid_field", "/url"],
    [{ url: "https://example.com/\ud800", kind: "image" }, "invalid_field", "/url"],
    [{ url, kind: "audio" }, "invalid_field", "/kind"],
    [{ url, kind: "Image" }, "invalid_field", "/kind"],
    [{ url, kind: null }, "invalid_field", "/kind"],
    [{ url, kind: "image", verify: "true" }, "invalid_field", "/verify"],
    [{ url, kind: "image", verify: null }, "invalid_field", "/verify"],
    [{ url, kind: "image", verify: 1 }, "invalid_field", "/verify"],
    [{ url, kind: "image", alt: "a".repeat(2_001) }, "alt_too_long", "/alt"],
    [{ url, kind: "image", bytes: 1 }, "unknown_field", "/bytes"],
    [{ url, kind: "image", URL: url }, "unknown_field", "/URL"],
  ])("rejects the file %j with %s", async (body, error, field) => {
    expect(await send("POST", "/v1/media", body)).toMatchObject(refusal(error, field));
  });

  it("stores an address in normalized spelling, and a blank alt text as null", async () => {
    const typedUrl = "https://EXAMPLE.com/ä%20b";
    expect(await send("POST", "/v1/media", { url: typedUrl, kind: "image", alt: " \n" })).toMatchObject({
      status: 201,
      body: { url: "https://example.com/%C3%A4%20b", alt: null, public_url: null },
    });
  });
});

describe("PATCH /v1/media/:id", () => {
  it.each<[object, string, string]>([
    [{}, "alt_required", "/alt"],
    [{ alt: 1 }, "invalid_field", "/alt"],
    [{ alt: ["x"] }, "invalid_field", "/alt"],
    [{ alt: false }, "invalid_field", "/alt"],
    [{ alt: "a".repeat(2_001) }, "alt_too_long", "/alt"],
    [{ alt: "a\0" }, "invalid_field", "/alt"],
    [{ alt: "\udfff" }, "invalid_field", "/alt"],
    [{ url: "https://example.com/b.png" }, "unknown_field", "/url"],
    [{ alt: "x", url: "https://example.com/b.png" }, "unknown_field", "/url"],
    [{ alt: "x", kind: "video" }, "unknown_field", "/kind"],
  ])("rejects the change %j with %s", async (body, error, field) => {
    expect(await send("PATCH", `/v1/media/${image}`, body)).toMatchObject(refusal(error, field));
  });

  it.each<[unknown, string | null]>([
    ["a".repeat(2_000), "a".repeat(2_000)],
    [" two  spaces ", " two  spaces "],
    ["two\nlines", "two\nlines"],
    ["", null],
    ["   ", null],
    [null, null],
  ])("stores the alt text %j as %j", async (alt, expected) => {
    expect(await send("PATCH", `/v1/media/${image}`, { alt })).toMatchObject({ status: 200, body: { alt: expected } });
  });

  it("answers 404 for another workspace's file, and does not change it", async () => {
    expect(await send("PATCH", `/v1/media/${foreign}`, { alt: "mine" })).toMatchObject({ status: 404 });
    const theirs = await call("GET", `/v1/media/${foreign}`, { token: stranger.key });
    expect(theirs.body.alt).toBe(null);
  });
});

describe("GET /v1/media", () => {
  const list = (query: string) => send("GET", `/v1/media?${query}`);

  it("accepts fifty ids, rejects fifty-one and ignores unknown ids", async () => {
    const ids = (count: number) => Array.from({ length: count }, (_, i) => `med_${i}`).join(",");
    expect(await list(`ids=${ids(50)}`)).toMatchObject({ status: 200, body: { media: [], next: null } });
    expect(await list(`ids=${ids(51)}`)).toMatchObject(refusal("too_many_ids", "/ids"));
    expect(await list(`ids=${"x".repeat(10_001)}`)).toMatchObject(refusal("too_many_ids", "/ids"));
    for (const unknownIds of ["", ",", "%20", "%20,%20", "%00", "constructor", foreign, "'%20OR%201=1"]) {
      expect(await list(`ids=${unknownIds}`), unknownIds).toMatchObject({
        status: 200,
        body: { media: [], next: null },
      });
    }
    const some = await list(`ids=%20${image}%20,,${image},${foreign},ch_x`);
    expect(some.body.media.map(({ id }) => id)).toEqual([image]);
    expect(await list(`ids=${image}&ids=${image}`)).toMatchObject(refusal("invalid_field", "/ids"));
  });

  it("uses the default for a limit that is invalid", async () => {
    for (const limit of ["0", "-1", "NaN", "", "1.5", "1e3", "201", "1&limit=2"]) {
      expect((await list(`limit=${limit}`)).status, limit).toBe(200);
    }
    expect((await list("limit=1")).body.media).toHaveLength(1);
  });

  it("accepts only a cursor that it has issued", async () => {
    const { next } = (await list("limit=1")).body;
    expect(next).not.toBe(null);
    for (const cursor of ["", "x", image, `${next}x`, next?.slice(1), btoa(`post_${"0".repeat(26)}`), "%F0%9F%98%80"]) {
      expect(await list(`cursor=${cursor}`), String(cursor)).toMatchObject(refusal("unreadable_cursor", "/cursor"));
    }
    expect(await list(`ids=${image}&cursor=x`)).toMatchObject(refusal("unreadable_cursor", "/cursor"));
  });
});
