// Bugs in the deletion of old data.
import { and, eq, inArray, lte, sql } from "drizzle-orm";
import { NOW } from "../../../src/store/db/db.ts";
import { events, posts } from "../../../src/store/db/schema.ts";
import { into } from "../planting.ts";
import type { Mutants } from "./mutant.ts";

const rows = into<typeof import("../../../src/store/posts/archive.ts")>("src/store/posts/archive.ts");
const archiving = into<typeof import("../../../src/maintenance/archive-posts.ts")>("src/maintenance/archive-posts.ts");
const feed = into<typeof import("../../../src/store/events.ts")>("src/store/events.ts");

const MONTH_MS = 31 * 86_400_000;

export const OF_RETENTION: Mutants = {
  "a post is deleted though somebody retried it since it was read": {
    scenarios: "just as they go to the archive",
    injections: [
      rows("deleteOldPosts", () => async (db, workspaceId, old) => {
        const ids = old.map(({ post: { id } }) => id);
        await db.delete(posts).where(and(eq(posts.workspaceId, workspaceId), inArray(posts.id, ids)));
        return true;
      }),
    ],
  },
  "a post goes to the archive after half its time": {
    scenarios: "after two months",
    injections: [
      archiving("archivePosts", (archive) => (ctx, db, cursors) => {
        const { retentionMonths } = ctx.settings;
        const settings = { ...ctx.settings, retentionMonths: retentionMonths && retentionMonths / 2 };
        return archive({ ...ctx, settings }, db, cursors);
      }),
    ],
  },
  "a post is deleted before the archive has it": {
    scenarios: "after two months",
    injections: [
      archiving("archivePosts", (archive) => (ctx, db, cursors) => {
        const bucket = ctx.bucket && { ...ctx.bucket, put: async () => {} };
        return archive({ ...ctx, bucket }, db, cursors);
      }),
    ],
  },
  "events are forgotten after a month": {
    scenarios: "after ninety days",
    injections: [
      feed("deleteOldEvents", () => async (db, workspaceId) => {
        const isOld = lte(events.createdAt, sql`${NOW} - ${MONTH_MS}`);
        const deleted = await db
          .delete(events)
          .where(and(eq(events.workspaceId, workspaceId), isOld))
          .returning({ seq: events.seq });
        return deleted.length;
      }),
    ],
  },
};
