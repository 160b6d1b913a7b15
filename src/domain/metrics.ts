/** Figures of a post as the networks count them, each under its usual name. */
export const FIGURES = [
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
export type Figure = (typeof FIGURES)[number];
/** What a network reports of a post; a figure that it does not report is absent. */
export type Figures = Partial<Record<Figure, number>>;
