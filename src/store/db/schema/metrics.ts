// The tables of figures that are collected after publishing, as types (-> ../schema.ts).
import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Metric } from "../../../domain/metrics.ts";
import { instant, required } from "../columns.ts";

export const measurements = sqliteTable(
  "measurements",
  {
    workspaceId: required("workspace_id"),
    postId: required("post_id"),
    channelId: required("channel_id"),
    platform: required("platform"),
    day: integer("day").notNull(),
    measuredAt: instant("measured_at").notNull(),
    views: integer("views"),
    reach: integer("reach"),
    likes: integer("likes"),
    comments: integer("comments"),
    shares: integer("shares"),
    reposts: integer("reposts"),
    quotes: integer("quotes"),
    saves: integer("saves"),
    clicks: integer("clicks"),
  },
  (table) => [primaryKey({ columns: [table.workspaceId, table.postId, table.channelId] })],
);

const sumOf = (figure: Metric) => integer(`${figure}_sum`).notNull().default(0);
const countOf = (figure: Metric) => integer(`${figure}_count`).notNull().default(0);

const countedDays = (name: string) =>
  sqliteTable(
    name,
    {
      workspaceId: required("workspace_id"),
      day: integer("day").notNull(),
      counts: text("counts", { mode: "json" }).notNull().$type<Record<string, number>>(),
    },
    (table) => [primaryKey({ columns: [table.workspaceId, table.day] })],
  );
export const publishedCounts = countedDays("published_counts");
/** The previous release reads and writes this. It may be dropped once no running release uses it. */
export const publishedDays = countedDays("published_days");

export const measuredDays = sqliteTable(
  "measured_days",
  {
    workspaceId: required("workspace_id"),
    day: integer("day").notNull(),
    platform: required("platform"),
    viewsSum: sumOf("views"),
    viewsCount: countOf("views"),
    reachSum: sumOf("reach"),
    reachCount: countOf("reach"),
    likesSum: sumOf("likes"),
    likesCount: countOf("likes"),
    commentsSum: sumOf("comments"),
    commentsCount: countOf("comments"),
    sharesSum: sumOf("shares"),
    sharesCount: countOf("shares"),
    repostsSum: sumOf("reposts"),
    repostsCount: countOf("reposts"),
    quotesSum: sumOf("quotes"),
    quotesCount: countOf("quotes"),
    savesSum: sumOf("saves"),
    savesCount: countOf("saves"),
    clicksSum: sumOf("clicks"),
    clicksCount: countOf("clicks"),
  },
  (table) => [primaryKey({ columns: [table.workspaceId, table.day, table.platform] })],
);
