// The rules of all ten networks for one post: a draft is checked by what it has, and all broken rules are reported at
// once.
import { describe, expect, it } from "vitest";
import { networks } from "../../src/networks/index.ts";
import { call, signUp, unique } from "../support/world.ts";

interface RefusalBody {
  error: string;
  violations: { code: string; channel: string; platform: string; field: string; hint?: string; over_by?: number }[];
}

async function createTenChannels() {
  const { key } = await signUp();
  const channels = new Map<string, string>();
  for (const { rule } of networks) {
    const answer = await call<{ id: string }>("POST", "/v1/channels", {
      token: key,
      body: { platform: rule.platform, handle: unique("h") },
    });
    expect(answer.status).toBe(201);
    channels.set(rule.platform, answer.body.id);
  }
  return { key, channels };
}

describe("a post for ten channels", () => {
  it("a post for ten channels gets each broken rule of each channel at once, and a dry run gets the same", async () => {
    const { key, channels } = await createTenChannels();
    const text = "a".repeat(63_207);
    const body = { draft: true, text, channels: [...channels.values()] };
    const real = await call<RefusalBody>("POST", "/v1/posts", { token: key, body });
    expect(real.status).toBe(422);
    const tooLong = real.body.violations.filter(({ code }) => code === "text_too_long");
    expect(new Set(tooLong.map(({ platform }) => platform))).toEqual(new Set(channels.keys()));
    for (const { hint, channel, platform, over_by } of tooLong) {
      expect(channels.get(platform)).toBe(channel);
      expect(hint).toContain(String(over_by));
    }
    const dry = await call<RefusalBody>("POST", "/v1/posts", { token: key, body: { ...body, dry_run: true } });
    const dropRequestId = ({ request_id, ...fields }: Record<string, unknown>) => fields;
    expect(JSON.stringify(dropRequestId({ ...dry.body }))).toBe(JSON.stringify(dropRequestId({ ...real.body })));
  });

  it("each network's own options are checked against its own schema", async () => {
    const { key, channels } = await createTenChannels();
    const overrides = Object.fromEntries([...channels.values()].map((id) => [id, { no_such_option: 1 }]));
    const { body } = await call<RefusalBody>("POST", "/v1/posts", {
      token: key,
      body: { draft: true, text: "a", channels: [...channels.values()], overrides },
    });
    const unknown = body.violations.filter(({ code }) => code === "invalid_option");
    expect(unknown.map(({ field }) => field).sort()).toEqual(
      [...channels.values()].map((id) => `/overrides/${id}/no_such_option`).sort(),
    );
  });

  it("an option that does not fit the post is refused when the post is created, and the list of platforms says which posts it fits", async () => {
    const { key, channels } = await createTenChannels();
    const id = channels.get("instagram") ?? "";
    const preview = (kind: string) => ({
      dry_run: true,
      text: "a",
      channels: [id],
      overrides: { [id]: { trial_reel: "manual" } },
      media_preview: [{ kind, type: kind === "video" ? "video/mp4" : "image/jpeg" }],
    });
    const refused = await call<RefusalBody>("POST", "/v1/posts", { token: key, body: preview("image") });
    expect(refused).toMatchObject({
      status: 422,
      body: { error: "invalid_option", violations: [{ field: `/overrides/${id}/trial_reel` }] },
    });
    const fits = await call<RefusalBody>("POST", "/v1/posts", { token: key, body: preview("video") });
    expect(fits.body.error, "only the sign-in is missing").toBe("channel_not_connected");
    const draft = { draft: true, text: "a", channels: [id], overrides: { [id]: { trial_reel: "manual" } } };
    expect((await call("POST", "/v1/posts", { token: key, body: draft })).status).toBe(201);
    const { body } = await call<{ platforms: { platform: string; options_go_with?: object }[] }>(
      "GET",
      "/v1/platforms",
    );
    expect(body.platforms.find(({ platform }) => platform === "instagram")?.options_go_with).toMatchObject({
      trial_reel: { media: "video", post_types: ["feed", "reel"] },
    });
  });

  it("a pin's link and board are required when the draft is released, and not before", async () => {
    const { key, channels } = await createTenChannels();
    const id = channels.get("pinterest") ?? "";
    const body = { text: "pin", channels: [id], draft: true };
    expect((await call("POST", "/v1/posts", { token: key, body })).status).toBe(201);
    const released = await call<RefusalBody>("POST", "/v1/posts", { token: key, body: { ...body, draft: false } });
    expect(released.body.violations.map(({ code, field }) => [code, field])).toEqual([
      ["media_required", "/media"],
      ["option_required", `/overrides/${id}/board`],
      ["option_required", `/overrides/${id}/link`],
    ]);
  });
});

describe("media_preview", () => {
  it("previewed files are checked like real ones: format, bytes, pixels, shape and seconds", async () => {
    const { key, channels } = await createTenChannels();
    const cases: [string, object, string][] = [
      ["instagram", { kind: "image", type: "image/png" }, "media_format_not_allowed"],
      ["instagram", { kind: "image", width: 1_000, height: 2_000 }, "media_dimensions_not_allowed"],
      ["instagram", { kind: "video", seconds: 2 }, "media_too_short"],
      ["threads", { kind: "video", seconds: 301 }, "media_too_long"],
      ["linkedin", { kind: "video", bytes: 1_000 }, "media_too_small"],
      ["tiktok", { kind: "video", width: 300, height: 400 }, "media_dimensions_not_allowed"],
      ["youtube", { kind: "image" }, "too_many_images"],
      ["x", { kind: "image", type: "image/gif", bytes: 15_000_001 }, "media_too_large"],
    ];
    for (const [platform, file, code] of cases) {
      const answer = await call<RefusalBody>("POST", "/v1/posts", {
        token: key,
        body: { draft: true, dry_run: true, channels: [channels.get(platform)], media_preview: [file] },
      });
      expect([platform, answer.status, answer.body.violations.map(({ code }) => code)]).toEqual([
        platform,
        422,
        [code],
      ]);
    }
  });
});
