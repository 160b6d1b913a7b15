import * as z from "zod";
import type { Context } from "../../context.ts";
import type { listPlatforms as contract } from "../../contract/platforms.ts";
import { CHUNKED_VIDEO_BYTES_MAX, IMAGE_BYTES_MAX, VIDEO_BYTES_MAX } from "../../domain/limits.ts";
import { readAppDay } from "../../domain/posts/app-day.ts";
import type { ConnectWay } from "../../domain/posts/platform-rule.ts";
import { networks, readApi } from "../../networks/index.ts";
import { REQUEST_ONLY } from "../../networks/request-only.ts";
import { findConsentWay } from "../channels/ask-consent.ts";
import { nameApp } from "../channels/consent-way.ts";
import { ok, type Run } from "../run.ts";
import { publishes } from "./publishes.ts";

/** The ways to connect an account, and whether this deployment has an app for each. */
const listWays = (ctx: Context, platform: string, ways: ConnectWay[]) =>
  ways.map((way) => ({
    ...way,
    available: ctx.settings.appOf(nameApp(platform, way.via)) !== null,
  }));

/** Lists the same objects that posts are judged by. */
export const listPlatforms: Run<typeof contract> = async (ctx) =>
  ok({
    platforms: networks.map((network) => {
      const { rule, versions, options, connectInput, firstComment } = network;
      const ways = rule.connect_ways?.map(({ via }) => via) ?? [null];
      const consent = ways.map((via) => findConsentWay(network, ctx, via)).find((way) => way !== null);
      return {
        ...rule,
        connect_ways: rule.connect_ways && listWays(ctx, rule.platform, rule.connect_ways),
        ...(consent && { consent }),
        api: { ...readApi({ rule, versions }, ctx.settings.apiVersions), setting: versions?.setting ?? null },
        app_posts_per_day: readAppDay(rule, ctx.settings.appPostsPerDay),
        publishes: publishes(ctx, rule.platform),
        first_comment: firstComment !== undefined,
        options: z.toJSONSchema(options, { io: "input" }),
        credentials: z.toJSONSchema(connectInput, { io: "input" }),
      };
    }),
    request_only: [...REQUEST_ONLY],
    upload: {
      available: ctx.bucket !== null,
      max_image_bytes: IMAGE_BYTES_MAX,
      max_video_bytes: VIDEO_BYTES_MAX,
      max_chunked_video_bytes: CHUNKED_VIDEO_BYTES_MAX,
    },
  });
