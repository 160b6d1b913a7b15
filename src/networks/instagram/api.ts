// An account is connected by Instagram Login (graph.instagram.com), or by the token of the Page that it is linked to, from
// Facebook Login (graph.facebook.com). Both publish in the same way, with different hosts, scopes and tokens.
import type { NetworkIO } from "../network.ts";
import type { ContainerNetwork } from "../shared/meta/container.ts";
import { versionFor } from "../shared/meta/versions.ts";
import * as errors from "./errors.ts";

export const HOST = "https://graph.instagram.com";
export const api = (io: NetworkIO) => `${HOST}/${versionFor(io)}`;

const FACEBOOK_HOST = "https://graph.facebook.com";
export const facebookApi = (io: NetworkIO) => `${FACEBOOK_HOST}/${versionFor(io)}`;

export const containers: ContainerNetwork = {
  api: (io, { login }) => (login === "facebook" ? facebookApi(io) : api(io)),
  paths: { posts: "media", publish: "media_publish", quota: "content_publishing_limit" },
  state: { status: "status_code", problem: "status" },
  text: "caption",
  // Captions may be returned without this character: docs/instagram-api/reference/media, read 2026-11-22.
  hiddenSign: "@",
  readyDelayMs: 0,
  errors: { harmless: errors.harmless, publish: errors.publish },
  problem: errors.problem,
};
