// The Threads API as a network with containers.
import type { ContainerNetwork } from "../shared/meta/container.ts";
import * as errors from "./errors.ts";

/** graph.threads.net and graph.threads.com are the same; the version stays v1.0: threads/overview, read 2026-11-20. */
export const HOST = "https://graph.threads.net";
export const API = `${HOST}/v1.0`;

export const containers: ContainerNetwork = {
  api: () => API,
  paths: { posts: "threads", publish: "threads_publish", quota: "threads_publishing_limit" },
  state: { status: "status", problem: "error_message" },
  text: "text",
  // A hashtag may become the topic of the post, which is shown without it.
  hiddenSign: "#",
  // A ready container is refused as "Media Not Found" for a moment: gitroomhq/postiz-app waits 2 s, read 2026-11-20.
  readyDelayMs: 2_000,
  errors: { harmless: errors.harmless, publish: errors.publish },
  problem: errors.problem,
};
