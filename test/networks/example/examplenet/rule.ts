// What Examplenet accepts, and what is stored of an account and of an unfinished post.
import * as z from "zod";
import type { PlatformRule } from "../../../../src/domain/posts/platform-rule.ts";

export const rule: PlatformRule = {
  platform: "examplenet",
  api: { version: null, supported_until: null },
  // 300 characters: https://example.net/docs/posts, read 2026-11-21.
  text_limit: 300,
  caption_limit: 300,
  text_unit: "characters",
  media: { images: 0, videos: 0, mixed: false },
  min_media: 0,
  image: null,
  video: null,
  post_types: ["feed"],
  per_type: {},
  delivery_guarantee: "exactly_once",
  auth: "credentials",
  access: {
    app: null,
    account: "Any account, with a token.",
    review: "None. Posts are public at once.",
    limits: "60 posts an hour.",
    problems: { token: { missing: "The token", sign: "Connecting is refused.", fix: "Create a new token." } },
  },
  measures: false,
  takedown: false,
  edit: { offered: false, reason: "The API has no call for it." },
  source: "https://example.net/docs/posts",
  verified_at: "2026-11-21",
};

export const Options = z.strictObject({});
export type Options = z.output<typeof Options>;

export const Credential = z.object({ token: z.string().min(1) });
export type Credential = z.output<typeof Credential>;

export const PublishKey = z.object({ key: z.string() });
export type PublishKey = z.output<typeof PublishKey>;
