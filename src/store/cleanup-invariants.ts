// The invariants of what is kept and deleted: files, their copies, and the data of erased workspaces (-> invariants.ts).
import { CLOCK } from "./db/db.ts";

/** The sweeper finishes its cleanup within minutes. */
const CLEARED_WITHIN_MS = 3_600_000;

export const CLEANUP_INVARIANTS = [
  {
    name: "used_files_stay",
    says: "A stored file that an unfinished post uses has no deletion date.",
    sql: `SELECT m.workspace_id, m.id, m.expires_at FROM media m
      WHERE m.object_key IS NOT NULL AND m.state <> 'expired' AND m.expires_at IS NOT NULL AND EXISTS
        (SELECT 1 FROM media_uses u WHERE u.workspace_id = m.workspace_id AND u.media_id = m.id AND u.finished_at IS NULL)`,
  },
  {
    name: "uses_follow_posts",
    says: "A post stops using its files when it ends.",
    sql: `SELECT u.workspace_id, u.post_id, u.media_id, u.finished_at FROM media_uses u
      LEFT JOIN posts p ON p.workspace_id = u.workspace_id AND p.id = u.post_id
      WHERE p.id IS NULL OR u.finished_at IS NOT p.finished_at`,
  },
  {
    name: "gone_files_are_deleted",
    says: "Copies that have expired and objects that were abandoned are deleted within an hour.",
    sql: `SELECT workspace_id, id AS file, expires_at AS since FROM media
        WHERE expires_at IS NOT NULL AND state <> 'expired' AND kept = 0 AND expires_at < ${CLOCK} - ${CLEARED_WITHIN_MS}
      UNION ALL SELECT workspace_id, object_key, next_at FROM discarded_objects
        WHERE next_at < ${CLOCK} - ${CLEARED_WITHIN_MS}`,
  },
  {
    name: "converted_copies_have_files",
    says: "A converted copy is deleted together with its file.",
    sql: `SELECT c.workspace_id, c.media_id, c.object_key FROM media_copies c
      LEFT JOIN media m ON m.workspace_id = c.workspace_id AND m.id = c.media_id
      WHERE m.object_key IS NULL OR m.state = 'expired'`,
  },
  {
    name: "erased_workspaces_are_cleared",
    says: "Data of an erased workspace outside of the database, including later uploads, is deleted within an hour.",
    sql: `SELECT workspace_id, since, next_at FROM clearances WHERE MAX(since, next_at) < ${CLOCK} - ${CLEARED_WITHIN_MS}`,
  },
];
