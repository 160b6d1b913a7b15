// HEIC is the format in which phones store photos. No network accepts it, so a photo is converted to JPEG or rejected.
import { describe, expect, it } from "vitest";
import { askExisting } from "../support/deployment.ts";
import { testEnv } from "../support/env.ts";
import { makeHeic } from "../support/make-heic.ts";
import { call, signUp, upload } from "../support/world.ts";
import { openAdapting } from "./adapting.ts";

describe("a HEIC photo", () => {
  const photo = makeHeic({ width: 2_400, height: 1_800, turns: 3 });

  it("a HEIC photo that must be sent unchanged is rejected with a hint for each network", async () => {
    const { account, create } = await openAdapting("telegram", "instagram");
    const file = await upload(account, photo, "image/heic");
    const { status, body } = await create({ media: [file.id], media_fit: "exact" });
    expect(status).toBe(422);
    const buildViolation = (platform: string) => ({
      code: "media_format_not_allowed",
      platform,
      field: "/media/0",
      hint: expect.stringContaining('With `media_fit: "adapt"` the file is converted for this channel.'),
    });
    expect(body).toMatchObject({ violations: [buildViolation("telegram"), buildViolation("instagram")] });
  });

  it("a HEIC photo is planned as a JPEG in its displayed size", async () => {
    const { account, channels, create } = await openAdapting("telegram", "tiktok");
    const overrides = { [channels[1]?.id ?? ""]: { privacy_level: "SELF_ONLY" } };
    const file = await upload(account, photo, "image/heic");
    const answer = await call("GET", `/v1/media/${file.id}`, { token: account.key });
    expect(answer.body).toMatchObject({
      content_type: "image/heic",
      public_url: expect.stringMatching(/\/file\.heic$/),
    });
    const { status, body } = await create({ media: [file.id], dry_run: true, overrides });
    expect(status).toBe(200);
    expect(body.deliveries.map(({ files }) => files)).toMatchObject([
      [{ content_type: "image/jpeg", width: 1_800, height: 2_400, adapted: ["format"] }],
      [{ content_type: "image/jpeg", width: 1_080, height: 1_440, adapted: ["format", "size"] }],
    ]);
  });

  it("a deployment that cannot convert HEIC rejects the upload with a hint", async () => {
    const { key } = await signUp();
    const ask = (type: string) =>
      askExisting({ ...testEnv, IMAGES: undefined }, "http://crier.test/v1/media/upload-url", {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify({ content_type: type, bytes: 1 }),
      });
    const refused = await ask("image/heic");
    expect(refused.status).toBe(422);
    expect(await refused.json()).toMatchObject({
      error: "content_type_not_allowed",
      field: "/content_type",
      hint: expect.stringMatching(
        /^Export the photo as JPEG: this deployment cannot convert HEIC\. Upload one of (?!.*heic)/,
      ),
    });
    expect((await ask("image/jpeg")).status).toBe(201);
  });
});
