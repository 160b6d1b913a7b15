// A published post seen again, and its metrics.
import type { Figure } from "../../domain/metrics.ts";
import type { ConnectorContext, Published } from "../network.ts";
import type { ContainerToken } from "../shared/meta/container.ts";
import { measurePost, verifyPost } from "../shared/meta/container-inspect.ts";
import type { MetaCredential } from "../shared/meta/login.ts";
import { containers } from "./api.ts";

/** The figures that Threads counts: threads/insights as fbsamples/threads_api asks for them, read 2026-11-20. */
const FIGURE_NAMES: Record<string, Figure> = {
  views: "views",
  likes: "likes",
  replies: "comments",
  reposts: "reposts",
  quotes: "quotes",
  shares: "shares",
};

export const verify = (post: Published<ContainerToken>, context: ConnectorContext<MetaCredential>) =>
  verifyPost(containers, post, context);

export const measure = (post: Published<ContainerToken>, context: ConnectorContext<MetaCredential>) =>
  measurePost(containers, post, FIGURE_NAMES, context);
