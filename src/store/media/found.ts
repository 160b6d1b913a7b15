// Finds files by their terms: kind, tags and words. An index has the files of each term, newest first, so a page is always
// full and never reads more than the files of one term.
import { sql } from "drizzle-orm";
import { UNLISTED_KINDS } from "../../domain/media/terms.ts";
import type { Database } from "../db/db.ts";
import { media, mediaTerms } from "../db/schema.ts";
import { listMedia, type MediaRow } from "./media.ts";

interface MediaSearch {
  terms: string[];
  limit: number;
  before: string | null;
  /** Whether the terms name a kind whose files are listed only if they are asked for. */
  hasUnlisted: boolean;
}

/** A page of the files that have all of these terms, newest first, below the id `before`. */
export async function findMedia(
  db: Database,
  workspaceId: string,
  { terms: [first, ...otherTerms], limit, before, hasUnlisted }: MediaSearch,
): Promise<MediaRow[]> {
  if (first === undefined) return listMedia(db, workspaceId, limit, before, "listed kinds");
  const hasOthers = sql`NOT EXISTS (SELECT 1 FROM json_each(${JSON.stringify(otherTerms)}) other WHERE NOT EXISTS
    (SELECT 1 FROM media_terms o WHERE o.workspace_id = ${workspaceId} AND o.term = other.value AND o.media_id = ${mediaTerms.mediaId}))`;
  const isListed = hasUnlisted
    ? sql`TRUE`
    : sql`NOT EXISTS (SELECT 1 FROM media_terms d WHERE d.workspace_id = ${workspaceId} AND d.term IN ${UNLISTED_KINDS} AND d.media_id = ${mediaTerms.mediaId})`;
  const page = sql`(SELECT ${mediaTerms.mediaId} FROM ${mediaTerms} WHERE ${mediaTerms.workspaceId} = ${workspaceId}
    AND ${mediaTerms.term} = ${first} AND (${before} IS NULL OR ${mediaTerms.mediaId} < ${before}) AND ${hasOthers} AND ${isListed}
    ORDER BY ${mediaTerms.mediaId} DESC LIMIT ${limit})`;
  return db
    .select()
    .from(media)
    .where(sql`${media.workspaceId} = ${workspaceId} AND ${media.id} IN ${page}`)
    .orderBy(sql`${media.id} DESC`);
}
