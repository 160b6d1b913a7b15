/** Metrics of a post as the networks count them, each under its usual name. */
export const METRICS = [
  "views",
  "reach",
  "likes",
  "comments",
  "shares",
  "reposts",
  "quotes",
  "saves",
  "clicks",
] as const;
export type Metric = (typeof METRICS)[number];
/** A network's report on a post; a metric that it does not report is absent. */
export type Metrics = Partial<Record<Metric, number>>;
/** A network's report on a post, and its time (epoch milliseconds). */
export interface Measured {
  at: number;
  figures: Metrics;
}
