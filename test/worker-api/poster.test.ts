// The thumbnail of a video, which its uploader sends.
import { exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { makeJpeg } from "../../scripts/local/jpeg.ts";
import { base64 } from "../../src/domain/encoding.ts";
import { type Account, call, signUp, uploadImage, uploadVideo } from "../support/world.ts";

const setPoster = ({ key }: Account, id: string, poster: string) =>
  call<{ thumbnail_url: string | null }>("PATCH", `/v1/media/${id}`, { token: key, body: { poster } });
const POSTER = base64(makeJpeg(64, 36));

describe("the poster of a video", () => {
  it("is its thumbnail, can be replaced, and is deleted with the video", async () => {
    const account = await signUp();
    const video = await uploadVideo(account, 10_000);
    const before = await call<{ thumbnail_url: string | null }>("GET", `/v1/media/${video.id}`, { token: account.key });
    expect(before.body.thumbnail_url).toBeNull();
    for (const poster of [POSTER, base64(makeJpeg(32, 32))]) {
      const { status, body } = await setPoster(account, video.id, poster);
      expect({ status, url: body.thumbnail_url }).toEqual({ status: 200, url: expect.stringContaining("/thumbnail/") });
      const picture = await exports.default.fetch(new Request(body.thumbnail_url ?? ""));
      expect(picture.status).toBe(200);
      expect(picture.headers.get("content-type")).toBe("image/webp");
      await picture.arrayBuffer();
    }
    const { body } = await setPoster(account, video.id, POSTER);
    expect((await call("DELETE", `/v1/media/${video.id}`, { token: account.key })).status).toBe(204);
    const gone = await exports.default.fetch(new Request(body.thumbnail_url ?? ""));
    expect(gone.status).toBe(404);
    await gone.arrayBuffer();
  });

  it("is refused for an image, and if it is not a picture", async () => {
    const account = await signUp();
    const [video, image] = [await uploadVideo(account, 10_000), await uploadImage(account)];
    for (const [id, poster] of [
      [image.id, POSTER],
      [video.id, base64(new TextEncoder().encode("<svg>not a picture</svg>"))],
      [video.id, "not base64"],
    ] as const) {
      expect(await setPoster(account, id, poster)).toMatchObject({
        status: 422,
        body: { error: "invalid_field", field: "/poster" },
      });
    }
    expect((await setPoster(account, "med_00000000000000000000000000", POSTER)).status).toBe(404);
  });
});
