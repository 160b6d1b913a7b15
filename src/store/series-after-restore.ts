// Repairs the series of repeating posts after a restore (-> after-restore.ts). The last post of a series at the restored minute
// may have been followed since, so the series would make the same posts again. `lost_posts` of that post says where the
// series was before the restore, and the next post continues from there (-> domain/posts/repeat.ts). Where that is not known,
// or the series was changed since, the next post becomes a draft, so a person decides.
import { POST_FIELD_NAMES, type PostFieldName } from "../domain/posts/post-fields.ts";
import { type Change, SERIES_STANDING, STOOD_TABLE } from "./standing.ts";

const stood = (column: string) => `content ->> '$.${column}'`;
const LAST_POSTS = `SELECT key ->> 0 AS workspace_id, key ->> 1 AS id, COALESCE(${stood("repeat_of")}, key ->> 1) AS first,
    ${SERIES_STANDING.columns.map((column) => `${stood(column)} AS ${column}`).join(", ")}
  FROM ${STOOD_TABLE} WHERE kind = '${SERIES_STANDING.kind}'`;

/** The fields that differ from one post of a series to the next, and are compared in a form of their own. */
const CHANGING: readonly PostFieldName[] = ["text", "repeat", "overrides"];

/** The contents that stay the same from one post of a series to the next, each as SQL over the row of this name. */
const contents = (row: string): string[] => [
  ...POST_FIELD_NAMES.filter((name) => !CHANGING.includes(name)).map((name) => `${row}.${name}`),
  `json_remove(${row}.repeat, '$.variations')`,
  // The texts take turns.
  `(SELECT json_group_array(value) FROM (SELECT value FROM json_each(json_insert(${row}.repeat -> '$.variations', '$[#]', ${row}.text)) ORDER BY value))`,
  `(SELECT json_group_object(key, json_remove(value, '$.publish_at')) FROM json_each(${row}.overrides))`,
];
const others = contents("last");
const isUnchanged = [
  ...contents("posts").map((content, i) => `${content} IS ${others[i]}`),
  "last.publish_at IS last.series ->> '$.plannedAt'",
].join(" AND ");
/** 1 for a lost post of which nothing was sent: the series continues one post earlier, so that it is made once more. 0 for others. */
const IS_UNSENT = `(last.status <> 'scheduled' OR NOT EXISTS (SELECT 1 FROM json_each(last.channels) AS channel WHERE NOT EXISTS (
    SELECT 1 FROM ${STOOD_TABLE} AS delivery WHERE delivery.kind = 'deliveries'
      AND delivery.key = json_array(last.workspace_id, last.id, channel.value) AND delivery.content ->> '$.state' = 'pending')))
  AND last.status IN ('draft', 'awaiting_approval', 'scheduled')`;

/** The changes if the state before the restore is recorded. */
export const applySeries: Change[] = [
  {
    says: "repeating posts were stopped, or have ended: they stop again",
    sql: `UPDATE posts SET repeat_state = 'stopped' WHERE repeat_state = 'active'
      AND (workspace_id, COALESCE(repeat_of, id)) NOT IN (SELECT workspace_id, first FROM (${LAST_POSTS})) RETURNING id`,
  },
  {
    says: "repeating posts continue after the posts that they have made since",
    sql: `UPDATE posts SET lost_posts = json_object(
        'until', COALESCE(last.series ->> '$.plannedAt', last.publish_at, 0) - (${IS_UNSENT}),
        'number', CASE WHEN ${isUnchanged} THEN last.series ->> '$.number' - (${IS_UNSENT}) END)
      FROM (${LAST_POSTS}) AS last WHERE posts.repeat_state = 'active' AND posts.workspace_id = last.workspace_id
        AND COALESCE(posts.repeat_of, posts.id) = last.first AND posts.id <> last.id RETURNING posts.id`,
  },
];

/** The change if that state is unknown. `until`: the epoch milliseconds from which nothing was sent any more. */
export const pauseSeries = (until: number): Change => ({
  says: "repeating posts may have been followed since: their next post becomes a draft",
  sql: `UPDATE posts SET lost_posts = json_object('until', ${until}, 'number', NULL)
    WHERE repeat_state = 'active' AND (finished_at IS NOT NULL OR due_at <= ${until}) RETURNING id`,
});
