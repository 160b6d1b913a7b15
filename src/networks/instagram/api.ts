// Only Instagram Login is spoken (graph.instagram.com): a token of Facebook Login, for accounts that hang on a Page, is
// refused. Both publish alike, but with other hosts, scopes and tokens.
import type { ContainerNetwork } from "../shared/meta/container.ts";
import * as errors from "./errors.ts";

export const HOST = "https://graph.instagram.com";
/** v25.0 lives until 2028-07-29: docs/graph-api/changelog/versions, read 2026-11-20. */
export const API = `${HOST}/v25.0`;

export const containers: ContainerNetwork = {
  api: API,
  paths: { posts: "media", publish: "media_publish", quota: "content_publishing_limit" },
  state: { status: "status_code", problem: "status" },
  text: "caption",
  // Captions may come without it: docs/instagram-api/reference/media, read 2026-11-22.
  hiddenSign: "@",
  settleMs: 0,
  errors: { harmless: errors.harmless, publish: errors.publish },
  problem: errors.problem,
};
