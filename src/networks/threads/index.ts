// Threads: a container is made ready, then published once; asked for its state, it tells whether it was.
import * as z from "zod";
import type { StageOutcome } from "../../domain/delivery/outcome.ts";
import type { Figure } from "../../domain/metrics.ts";
import { type MediaFile, network, type Publication } from "../network.ts";
import { replyTo } from "../shared/meta/comment.ts";
import { type ContainerNetwork, ContainerToken, type Fields, type Plan } from "../shared/meta/container.ts";
import { stageContainers } from "../shared/meta/container-prepare.ts";
import {
  lookAtPost,
  measurePost,
  publishContainer,
  RESEND_AFTER_MS,
  resolveContainer,
  SEND_TIMEOUT_MS,
} from "../shared/meta/container-publish.ts";
import {
  connectWith,
  consentWith,
  MetaCredential,
  type MetaLogin,
  renewalAt,
  renewWith,
} from "../shared/meta/login.ts";
import { handedOver } from "../shared/oauth2.ts";
import * as errors from "./errors.ts";
import { Options, rule } from "./rule.ts";

/** graph.threads.net and graph.threads.com are the same; the version stays v1.0: threads/overview, read 2026-11-20. */
const HOST = "https://graph.threads.net";
const API = `${HOST}/v1.0`;

const containers: ContainerNetwork = {
  api: API,
  paths: { posts: "threads", publish: "threads_publish", quota: "threads_publishing_limit" },
  state: { status: "status", problem: "error_message" },
  text: "text",
  // What is ready is refused as "Media Not Found" for a moment: 2 s is what gitroomhq/postiz-app waits, read 2026-11-20.
  settleMs: 2_000,
  errors: { harmless: errors.harmless, publish: errors.publish },
  problem: errors.problem,
};

const Me = z.object({
  id: z.string().min(1),
  username: z.string().min(1),
  name: z.string().optional(),
  threads_profile_picture_url: z.string().optional(),
});

const login: MetaLogin = {
  name: "Threads",
  authorizeUrl: "https://threads.com/oauth/authorize",
  codeUrl: `${HOST}/oauth/access_token`,
  host: HOST,
  grant: "th",
  needed: ["threads_basic", "threads_content_publish"],
  wanted: ["threads_manage_insights", "threads_manage_replies"],
  tokenHint: "Make a new one; it lives for 60 days, and Crier renews it.",
  identityUrl: `${API}/me?fields=id,username,name,threads_profile_picture_url`,
  identity(body) {
    const me = Me.safeParse(body).data;
    if (me === undefined) return null;
    return {
      userId: me.id,
      username: me.username,
      name: me.name ?? null,
      avatarUrl: me.threads_profile_picture_url ?? null,
      profileUrl: `https://www.threads.net/@${me.username}`,
    };
  },
  // It needs both scopes: threads/overview, read 2026-11-21.
  probeUrl: (userId) => `${API}/${userId}/threads_publishing_limit?fields=quota_usage,config`,
};

function fileFields(file: MediaFile): Fields {
  const address = file.kind === "video" ? { video_url: file.url } : { image_url: file.url };
  return { media_type: file.kind === "video" ? "VIDEO" : "IMAGE", ...address, alt_text: file.alt ?? undefined };
}

function planOf({ text, media, options }: Publication<Options>): Plan {
  const { topic_tag, reply_control, location_id, link_attachment } = options;
  const common = {
    text: text === "" ? undefined : text,
    topic_tag,
    reply_control,
    location_id,
    // On a carousel it blurs all files.
    is_spoiler_media: options.spoiler ? "true" : undefined,
  };
  const [only, ...others] = media;
  if (only === undefined) return { files: [], whole: () => ({ media_type: "TEXT", ...common, link_attachment }) };
  if (others.length === 0) return { files: [], whole: () => ({ ...fileFields(only), ...common }) };
  return {
    files: media.map((file) => ({ ...fileFields(file), is_carousel_item: "true" })),
    whole: (ids) => ({ media_type: "CAROUSEL", children: ids.join(","), ...common }),
  };
}

/** What the rule cannot say of an option. */
function refusedOption({ media, options }: Publication<Options>): StageOutcome | null {
  if (!options.spoiler || media.length > 0) return null;
  return { is: "refused", error: "content_refused", detail: "`spoiler` blurs files, and the post has none" };
}

/** The figures that Threads counts: threads/insights as fbsamples/threads_api asks for them, read 2026-11-20. */
const FIGURE_NAMES: Record<string, Figure> = {
  views: "views",
  likes: "likes",
  replies: "comments",
  reposts: "reposts",
  quotes: "quotes",
  shares: "shares",
};

export const threads = network({
  rule,
  connectInput: handedOver,
  credential: MetaCredential,
  options: Options,
  token: ContainerToken,
  sendTimeoutMs: SEND_TIMEOUT_MS,
  resendAfterMs: RESEND_AFTER_MS,
  connect: (input, wire) => connectWith(login, input, wire),
  consent: consentWith(login),
  refreshAt: renewalAt,
  refresh: (work) => renewWith(login, work),
  stage: async (post, work, token, save) =>
    refusedOption(post) ?? stageContainers({ network: containers, plan: planOf(post), post, work, save }, token),
  send: (_post, token, work) => publishContainer(containers, token, work),
  resolve: (token, work) => resolveContainer(containers, token, work),
  look: (post, work) => lookAtPost(containers, post, work),
  firstComment: replyTo(containers),
  measure: (post, work) => measurePost(containers, post, FIGURE_NAMES, work),
});
