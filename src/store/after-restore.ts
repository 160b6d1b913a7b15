// After the database was set back to an earlier minute: what it no longer knows to be sent must not be sent again.
import { MAY_HAVE_BEEN_MADE } from "../domain/delivery/additions.ts";
import { DUE_AS_SENDING } from "./deliveries/additions.ts";

/**
 * Statements that return a row for each that they change. `until`: the epoch milliseconds from which on nothing was sent any
 * more. What was due by then gets an open send, as if its sender had died between the send intent and the answer: so its
 * network is asked, and what nobody can find out ends as `outcome_unknown`; of a thread that goes for each part. First
 * comments and additions of live posts likewise, also of those that are found to be live.
 */
export const afterRestore = (until: number): string[] => [
  `UPDATE deliveries SET state = 'sending', has_open_send = 1, sent_at = next_at, attempts = attempts + 1,
    additions = '${MAY_HAVE_BEEN_MADE}', version = version + 1, fencing_token = fencing_token + 1, started_at = COALESCE(started_at, next_at),
    sends = json_insert(sends, '$[#]', json_object('fencing_token', fencing_token + 1, 'payload_hash', '', 'sent_at', next_at))
  WHERE state IN ('pending', 'staged', 'retry_wait') AND next_at <= ${until} AND EXISTS
    (SELECT 1 FROM posts WHERE posts.workspace_id = deliveries.workspace_id AND posts.id = deliveries.post_id
      AND posts.cancelled_at IS NULL) RETURNING id`,
  `UPDATE deliveries SET comment_state = CASE comment_state WHEN 'due' THEN 'sending' ELSE comment_state END,
    additions = replace(additions, ${DUE_AS_SENDING}), check_at = ${until}
  WHERE state = 'live' AND (comment_state = 'due' OR additions LIKE '%"state":"due"%') RETURNING id`,
  `UPDATE deliveries SET additions = '${MAY_HAVE_BEEN_MADE}'
  WHERE state IN ('sending', 'processing', 'verifying', 'outcome_unknown') AND additions IS NULL RETURNING id`,
];
