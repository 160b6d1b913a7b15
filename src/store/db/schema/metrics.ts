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

const makeSumColumn = (figure: Metric) => integer(`${figure}_sum`).notNull().default(0);
const makeCountColumn = (figure: Metric) => integer(`${figure}_count`).notNull().default(0);

export const publishedCounts = sqliteTable(
  "published_counts",
  {
    workspaceId: required("workspace_id"),
    day: integer("day").notNull(),
    counts: text("counts", { mode: "json" }).notNull().$type<Record<string, number>>(),
  },
  (table) => [primaryKey({ columns: [table.workspaceId, table.day] })],
);

export const measuredDays = sqliteTable(
  "measured_days",
  {
    workspaceId: required("workspace_id"),
    day: integer("day").notNull(),
    platform: required("platform"),
    viewsSum: makeSumColumn("views"),
    viewsCount: makeCountColumn("views"),
    reachSum: makeSumColumn("reach"),
    reachCount: makeCountColumn("reach"),
    likesSum: makeSumColumn("likes"),
    likesCount: makeCountColumn("likes"),
    commentsSum: makeSumColumn("comments"),
    commentsCount: makeCountColumn("comments"),
    sharesSum: makeSumColumn("shares"),
    sharesCount: makeCountColumn("shares"),
    repostsSum: makeSumColumn("reposts"),
    repostsCount: makeCountColumn("reposts"),
    quotesSum: makeSumColumn("quotes"),
    quotesCount: makeCountColumn("quotes"),
    savesSum: makeSumColumn("saves"),
    savesCount: makeCountColumn("saves"),
    clicksSum: makeSumColumn("clicks"),
    clicksCount: makeCountColumn("clicks"),
  },
  (table) => [primaryKey({ columns: [table.workspaceId, table.day, table.platform] })],
);
