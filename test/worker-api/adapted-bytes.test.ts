// Only the bytes of an image show whether it is animated or transparent, which decides how it is converted. Only the
// copy that was checked may be sent.
import { describe, expect, it } from "vitest";
import { makePng } from "../../scripts/local/png.ts";
import { testEnv } from "../support/env.ts";
import { call, connect, finished, ledger, type PostBody, signUp, upload } from "../support/world.ts";

const BUCKET = testEnv.MEDIA ?? expect.fail("no bucket");
const nextWeek = () => new Date(Date.now() + 7 * 86_400_000).toISOString();

async function openChannel(platform: string) {
  const account = await signUp();
  const channel = await connect(account.key, platform);
  const create = (media: string, fields: object = {}) => {
    const body = { text: "x", channels: [channel.id], media: [media], media_fit: "adapt", ...fields };
    return call<PostBody>("POST", "/v1/posts", { token: account.key, body });
  };
  return { account, channel, create };
}

const ascii = (text: string) => [...text].map((character) => character.charCodeAt(0));
const u16 = (value: number) => [value & 0xff, value >> 8];
/** A GIF in one colour. With more than one frame it is an animation. */
function gif(side: number, frames: number): Uint8Array<ArrayBuffer> {
  const picture = [0x2c, 0, 0, 0, 0, ...u16(1), ...u16(1), 0, 2, 2, 0x44, 0x01, 0];
  const screen = [...u16(side), ...u16(side), 0x80, 0, 0, 0, 0, 0, 255, 255, 255];
  return Uint8Array.from([
    ...ascii("GIF89a"),
    ...screen,
    ...Array.from({ length: frames }, () => picture).flat(),
    0x3b,
  ]);
}

describe("the conversion of an image", () => {
  it("rejects an animated GIF with a reason, and converts a GIF with one frame", async () => {
    const { account, create } = await openChannel("instagram");
    const moving = await upload(account, gif(600, 2), "image/gif");
    expect(await create(moving.id, { publish_at: nextWeek() })).toMatchObject({
      status: 422,
      body: {
        error: "media_format_not_allowed",
        field: "/media/0",
        hint: expect.stringContaining("Animated images are not adapted, because only the first frame would be left."),
      },
    });
    const still = await upload(account, gif(600, 1), "image/gif");
    const { status, body } = await create(still.id, { publish_at: nextWeek() });
    expect(status).toBe(201);
    expect(body.deliveries[0]?.files).toMatchObject([{ content_type: "image/jpeg", width: 600, adapted: ["format"] }]);
  });

  it("keeps PNG for an image with transparency if the network accepts PNG", async () => {
    const { account, create } = await openChannel("telegram");
    // The colour type in the header announces an alpha channel. A dry run converts nothing.
    const clear = new Uint8Array(makePng(9_000, 2_000, 31));
    clear[25] = 6;
    const file = await upload(account, clear, "image/png");
    const { body } = await create(file.id, { dry_run: true });
    expect(body.deliveries[0]?.files).toMatchObject([{ content_type: "image/png", adapted: ["size"] }]);
  });
});

describe("a checked copy", () => {
  it("a copy is not sent if its bytes were replaced after the check", async () => {
    const { account, channel, create } = await openChannel("telegram");
    const file = await upload(account, new Uint8Array(makePng(9_000, 2_000, 33)), "image/png");
    const { body } = await create(file.id, { publish_at: nextWeek() });
    const [{ key } = expect.fail("there is no copy")] = (
      await BUCKET.list({ prefix: `m/${account.workspace}/converted/` })
    ).objects;
    await BUCKET.put(key, new Uint8Array(makePng(64, 48, 35)), { httpMetadata: { contentType: "image/jpeg" } });
    const now = await call("PATCH", `/v1/posts/${body.id}`, { token: account.key, body: { publish_at: null } });
    expect(now.status).toBe(200);
    expect((await finished(account.key, body.id)).deliveries).toMatchObject([{ status: "failed" }]);
    expect(await ledger(channel.handle)).toEqual([]);
  });
});
