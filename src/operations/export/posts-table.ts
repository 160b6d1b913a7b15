// Exports the posts of a list query as CSV, page by page, with a row for each delivery.
import { escapeFormula, writeCsv } from "../../adapters/csv.ts";
import type { postsTable as contract } from "../../contract/export.ts";
import { LIST_LIMIT_MAX } from "../../domain/limits.ts";
import { readTimezone } from "../../store/accounts/workspaces.ts";
import { listHandles } from "../../store/channels/channels.ts";
import { ask } from "../../store/db/batch.ts";
import { untilKnown } from "../../store/db/until-known.ts";
import { type Finding, findPosts } from "../../store/posts/find.ts";
import type { PostWithDeliveries } from "../../store/posts/posts.ts";
import { postView } from "../../views/post.ts";
import { findHomeNow } from "../home-now.ts";
import { buildFinding, matchingPosts } from "../posts/list.ts";
import { getPublishedText } from "../posts/published-text.ts";
import type { Stream } from "../run.ts";
import { refuseBeforeFirstRow } from "./refuse-before-first-row.ts";

const COLUMNS = ["id", "status", "due_at", "platform", "handle", "text", "labels", "url", "error"] as const;
type Row = Record<(typeof COLUMNS)[number], string | null>;

export const postsTable: Stream<typeof contract> = (ctx, caller, input) =>
  refuseBeforeFirstRow(ctx, readTable(ctx, caller, input));

const readTable: Stream<typeof contract> = async function* (ctx, caller, { query }) {
  const { workspaceId } = caller;
  const db = ctx.databaseOf(workspaceId);
  const timezone = await ask(db, readTimezone(db, workspaceId));
  let finding: Finding | null = buildFinding({ ...query, limit: LIST_LIMIT_MAX }, timezone, ctx.now());
  const handles = await listHandles(await findHomeNow(ctx, workspaceId), workspaceId);
  const cell = (value: string | null) => (query.escape_formulas ? escapeFormula(value) : value);
  yield writeCsv(COLUMNS, []);
  for (let statements = 0; finding !== null; ) {
    const currentFinding: Finding = finding;
    const posts = await untilKnown({ pause: ctx.pause }, async () => {
      const home = await findHomeNow(ctx, workspaceId);
      return ask(home, findPosts(home, workspaceId, currentFinding, statements));
    });
    const rows = matchingPosts(caller, currentFinding, posts).flatMap((post) => toTableRows(post, handles));
    if (rows.length > 0) {
      yield writeCsv(
        COLUMNS,
        rows.map((row) => COLUMNS.map((name) => cell(row[name]))),
        { header: false },
      );
    }
    statements = posts.posts.length === currentFinding.limit ? 0 : statements + 1;
    finding = posts.goesOnAfter && { ...currentFinding, after: posts.goesOnAfter };
  }
};

function toTableRows(storedPost: PostWithDeliveries, handles: Map<string, string>): Row[] {
  const { id, status, due_at, text, labels, deliveries } = postView({ bucket: null }, storedPost);
  const post = { id, status, due_at, labels: labels.length === 0 ? null : labels.join("|") };
  if (deliveries.length === 0) return [{ ...post, platform: null, handle: null, text, url: null, error: null }];
  return deliveries.map(({ channel, platform, url, error }) => ({
    ...post,
    platform,
    handle: handles.get(channel) ?? null,
    text: getPublishedText(storedPost, channel),
    url,
    error,
  }));
}
