// A published post seen again, and its metrics.
import type { Figure } from "../../domain/metrics.ts";

/** The figures that Threads counts: threads/insights as fbsamples/threads_api asks for them, read 2026-11-20. */
export const FIGURE_NAMES: Record<string, Figure> = {
  views: "views",
  likes: "likes",
  replies: "comments",
  reposts: "reposts",
  quotes: "quotes",
  shares: "shares",
};
