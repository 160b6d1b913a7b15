// Instagram: a container is made ready, then published once; asked for its state, it tells whether it was.
// Only Instagram Login is spoken (graph.instagram.com): a token of Facebook Login, for accounts that hang on a Page, is
// refused. Both publish alike, but with other hosts, scopes and tokens.
import * as z from "zod";
import type { Look } from "../../domain/delivery/outcome.ts";
import { DAY_MS } from "../../domain/limits.ts";
import type { Figure } from "../../domain/metrics.ts";
import { network, type Work } from "../network.ts";
import { commentUnder } from "../shared/meta/comment.ts";
import { type ContainerNetwork, ContainerToken } from "../shared/meta/container.ts";
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
import { planOf, refusedOption } from "./containers.ts";
import * as errors from "./errors.ts";
import { Options, rule } from "./rule.ts";

const HOST = "https://graph.instagram.com";
/** v25.0 lives until 2028-07-29: docs/graph-api/changelog/versions, read 2026-11-20. */
const API = `${HOST}/v25.0`;

const containers: ContainerNetwork = {
  api: API,
  paths: { posts: "media", publish: "media_publish", quota: "content_publishing_limit" },
  state: { status: "status_code", problem: "status" },
  text: "caption",
  settleMs: 0,
  errors: { harmless: errors.harmless, publish: errors.publish },
  problem: errors.problem,
};

const Me = z.object({
  // Not `id`, which is the app's own id of the account.
  user_id: z.string().min(1),
  username: z.string().min(1),
  name: z.string().optional(),
  account_type: z.string().optional(),
  profile_picture_url: z.string().optional(),
});

const login: MetaLogin = {
  name: "Instagram",
  authorizeUrl: "https://www.instagram.com/oauth/authorize",
  codeUrl: "https://api.instagram.com/oauth/access_token",
  host: HOST,
  grant: "ig",
  needed: ["instagram_business_basic", "instagram_business_content_publish"],
  wanted: ["instagram_business_manage_insights", "instagram_business_manage_comments"],
  tokenHint: "Make one by Instagram Login; it lives for 60 days. A token of Facebook Login does not work here.",
  identityUrl: `${API}/me?fields=user_id,username,name,account_type,profile_picture_url`,
  identity(body) {
    const me = Me.safeParse(body).data;
    if (me === undefined) return null;
    if (me.account_type === "PERSONAL") {
      return `@${me.username} is a personal account, and Instagram lets nothing be published there.`;
    }
    return {
      userId: me.user_id,
      username: me.username,
      name: me.name ?? null,
      avatarUrl: me.profile_picture_url ?? null,
      profileUrl: `https://www.instagram.com/${me.username}/`,
    };
  },
  // That it needs the scope for publishing is from memory; the reference of content_publishing_limit names its fields only.
  probeUrl: (userId) => `${API}/${userId}/content_publishing_limit?fields=quota_usage,config`,
};

// developers.facebook.com, reference of media insights as third parties quote it, read 2026-11-20.
const FIGURE_NAMES: Record<string, Figure> = {
  views: "views",
  reach: "reach",
  likes: "likes",
  comments: "comments",
  saved: "saves",
  shares: "shares",
};
/** Likes, comments and saves are not counted for stories. */
const STORY_FIGURE_NAMES: Record<string, Figure> = {
  views: "views",
  reach: "reach",
  replies: "comments",
  shares: "shares",
};

interface Published {
  id: string;
  token: ContainerToken | null;
}
const isStory = ({ token }: Published) => token?.step === "ready" && token.post_type === "story";

/** A story is gone after a day by itself: that tells nothing. */
async function look(post: Published, work: Work<MetaCredential>): Promise<Look> {
  const found = await lookAtPost(containers, post, work);
  const { token } = post;
  const ended = token?.step === "ready" && isStory(post) && work.wire.now() >= token.at + DAY_MS;
  return found.is === "gone" && ended ? { is: "unknown", detail: "a story ends after a day" } : found;
}

export const instagram = network({
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
  look,
  firstComment: commentUnder(containers),
  measure: (post, work) => measurePost(containers, post, isStory(post) ? STORY_FIGURE_NAMES : FIGURE_NAMES, work),
});
