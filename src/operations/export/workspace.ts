// Exports a whole workspace, line by line. Each kind of line is read page by page, and each page is released before the
// next is read, so memory use does not grow with the workspace.
import type * as z from "zod";
import type { Context } from "../../context.ts";
import type { exportWorkspace as contract, ExportedLine } from "../../contract/export.ts";
import type { AccountPlan } from "../../domain/account-plan.ts";
import { refuse } from "../../domain/refusal.ts";
import { getWorkspace } from "../../store/accounts/workspaces.ts";
import { listChannelGroups } from "../../store/channel-groups.ts";
import { listChannels } from "../../store/channels/channels.ts";
import { listConnectorRequests } from "../../store/connector-requests.ts";
import { ask } from "../../store/db/batch.ts";
import { untilKnown } from "../../store/db/until-known.ts";
import { listEvents } from "../../store/events.ts";
import { listFeeds } from "../../store/feeds.ts";
import { listMedia } from "../../store/media/media.ts";
import { allComments } from "../../store/posts/comments.ts";
import { allDecisions, listPortals } from "../../store/posts/portals.ts";
import { allPosts } from "../../store/posts/posts.ts";
import { readSlots } from "../../store/slots.ts";
import { listSnippets } from "../../store/snippets.ts";
import { listWebhooks } from "../../store/webhooks/endpoints.ts";
import { commentView } from "../../views/comment.ts";
import { postView } from "../../views/post.ts";
import { workspaceView } from "../accounts/views.ts";
import { readAudit, toAuditCursor, toFilter } from "../audit/list.ts";
import { auditView } from "../audit/view.ts";
import { mayDo } from "../caller.ts";
import { channelGroupView } from "../channel-groups/view.ts";
import { connectorRequestView } from "../channels/connector-requests.ts";
import { channelViews } from "../channels/view.ts";
import { cursorAtText, readText } from "../cursor.ts";
import { eventView } from "../events/list.ts";
import { feedView } from "../feeds/view.ts";
import { findHomeNow } from "../home-now.ts";
import { mediaView } from "../media/view.ts";
import type { Stream } from "../run.ts";
import { slotsView } from "../slots/view.ts";
import { snippetView } from "../snippets/list.ts";
import { webhookView } from "../webhooks/view.ts";
import { decisionLine, portalLine, readDecisionKey, writeDecisionKey } from "./portals.ts";

type Line = z.input<typeof ExportedLine>;
/** Lines that were read together, and the cursor after their last row; null: their kind has no cursors. */
interface Page {
  lines: Line[];
  cursor: string | null;
}
/** One kind of lines, starting after a cursor (null: all of them). */
type Section = (after: string | null) => AsyncGenerator<Page>;

/** Rows per read. */
const PAGE = 500;
/**
 * Pages of an answer: an invocation may query its database a thousand times (WORK_LIMITS on the free plan), and a page
 * of events takes two queries. Other statements add about twenty.
 */
const PAGES_MAX: Record<AccountPlan, number> = { paid: 400, free: 10 };

export const exportWorkspace: Stream<typeof contract> = (ctx, caller, { query }) =>
  exportLines(
    ctx,
    {
      workspaceId: caller.workspaceId,
      managesWebhooks: mayDo(caller, "manage_webhooks"),
      readsPortals: mayDo(caller, "publish"),
      readsAudit: mayDo(caller, "read_audit"),
    },
    query.cursor,
    PAGES_MAX[ctx.settings.accountPlan],
  );

/** The exported workspace, and what its reader may see. */
interface Exported {
  workspaceId: string;
  /** Whether the addresses of endpoints are whole. */
  managesWebhooks: boolean;
  /** Whether portals are included. */
  readsPortals: boolean;
  /** Whether the audit log is included. */
  readsAudit: boolean;
}

/** The lines after `cursor`, at most `pagesMax` pages of them. Throws `unreadable_cursor`. */
export async function* exportLines(
  ctx: Context,
  exported: Exported,
  cursor: string | undefined,
  pagesMax: number,
): AsyncGenerator<string> {
  const sections = Object.entries(buildSections(ctx, exported));
  const [from = null, after = null] = parseExportCursor(cursor);
  const begin = from === null ? 0 : sections.findIndex(([name]) => name === from);
  if (begin === -1) throw refuse("unreadable_cursor", { field: "/cursor" });
  let [lines, pages] = [0, 0];
  const endAt = (next: string | null): string => {
    const end: Line = { type: "end", lines, next };
    return `${JSON.stringify(end)}\n`;
  };
  for (const [i, [name, section]] of sections.slice(begin).entries()) {
    for await (const { lines: page, cursor: pageEnd } of section(i === 0 ? after : null)) {
      lines += page.length;
      yield page.map((line) => `${JSON.stringify(line)}\n`).join("");
      if (pageEnd !== null && ++pages === pagesMax) {
        yield endAt(cursorAtText("export", `${name} ${pageEnd}`));
        return;
      }
    }
  }
  yield endAt(null);
}

/** Each kind of lines, in the order of an export. */
function buildSections(
  ctx: Context,
  { workspaceId, managesWebhooks, readsPortals, readsAudit }: Exported,
): Record<string, Section> {
  // An export outlives a move of its workspace, so each read looks up where the rows are.
  const home = () => findHomeNow(ctx, workspaceId);
  const limit = PAGE;
  const filter = {
    event: null,
    post: null,
    channel: null,
    actor: null,
    reach: null,
    hasChannels: false,
    order: "oldest",
    limit,
  } as const;
  const getId = ({ id }: { id: string }) => id;
  return {
    workspace: whole(async () => {
      const row = await getWorkspace(ctx.accounts, workspaceId);
      if (row === undefined) throw refuse("unauthorized");
      return [{ type: "workspace", ...workspaceView(row) }];
    }),
    channel: paged(ctx, {
      read: async (before) =>
        channelViews(ctx, workspaceId, await listChannels(await home(), workspaceId, { limit, before, only: null })),
      getCursor: getId,
      view: (channel) => ({ type: "channel", ...channel }),
    }),
    connector_request: whole(async () =>
      (await listConnectorRequests(await home(), workspaceId)).map((request) => ({
        type: "connector_request",
        ...connectorRequestView(request),
      })),
    ),
    webhook: paged(ctx, {
      read: async (before) => listWebhooks(await home(), workspaceId, limit, before),
      getCursor: getId,
      view: (webhook) => ({ type: "webhook", ...webhookView(webhook, managesWebhooks) }),
    }),
    slots: whole(async () => {
      const db = await home();
      const { slots, present } = await ask(db, readSlots(db, workspaceId, null));
      return [{ type: "slots", ...slotsView(slots, present) }];
    }),
    channel_group: paged(ctx, {
      read: async (before) => listChannelGroups(await home(), workspaceId, { limit, before, only: null }),
      getCursor: getId,
      view: (row) => ({ type: "channel_group", ...channelGroupView(row) }),
    }),
    snippet: paged(ctx, {
      read: async (before) => listSnippets(await home(), workspaceId, { limit, before, kind: null }),
      getCursor: getId,
      view: (row) => ({ type: "snippet", ...snippetView(row) }),
    }),
    feed: paged(ctx, {
      read: async (before) => listFeeds(await home(), workspaceId, { limit, before }),
      getCursor: getId,
      view: (row) => ({ type: "feed", ...feedView(row) }),
    }),
    portal: readsPortals
      ? paged(ctx, {
          read: async (before) => listPortals(ctx.accounts, workspaceId, limit, before),
          getCursor: getId,
          view: portalLine,
        })
      : nothing,
    portal_decision: readsPortals
      ? paged(ctx, {
          read: async (after) => allDecisions(ctx.accounts, workspaceId, limit, readDecisionKey(after)),
          getCursor: writeDecisionKey,
          view: decisionLine,
        })
      : nothing,
    media: paged(ctx, {
      read: async (before) => listMedia(await home(), workspaceId, limit, before),
      getCursor: getId,
      view: (file) => ({ type: "media", ...mediaView(ctx, file) }),
    }),
    post: paged(ctx, {
      read: async (before) => {
        const db = await home();
        return ask(db, allPosts(db, workspaceId, { before, limit }));
      },
      getCursor: ({ post }) => post.id,
      view: (storedPost) => ({ type: "post", ...postView(ctx, storedPost) }),
    }),
    comment: paged(ctx, {
      read: async (before) => allComments(await home(), workspaceId, { before, limit }),
      getCursor: getId,
      view: (row) => ({ type: "comment", post: row.postId, ...commentView(row) }),
    }),
    event: paged(ctx, {
      read: async (after) =>
        (await listEvents(await home(), workspaceId, { ...filter, after: after === null ? null : Number(after) }))
          .events,
      getCursor: ({ seq }) => `${seq}`,
      view: ({ body }) => ({ type: "event", ...eventView(body) }),
    }),
    audit: readsAudit
      ? paged(ctx, {
          read: async (before) => {
            await home();
            return readAudit(ctx, workspaceId, { ...toFilter({}), before: toAuditCursor(before), limit });
          },
          getCursor: getId,
          view: (row) => ({ type: "audit", ...auditView(row) }),
        })
      : nothing,
  };
}

/** The kind of lines and the row in a cursor; nothing without a cursor. Throws `unreadable_cursor`. */
function parseExportCursor(cursor: string | undefined): string[] {
  const text = readText(cursor, "export");
  if (text === null) return [];
  // The cursor of an event is its number in the log, that of a decision has three parts, every other one is an id.
  const [, ...fields] =
    /^(event) (\d{1,15})$/.exec(text) ??
    /^(portal_decision) (ptl_\w+\.post_\w+\.\d{1,9})$/.exec(text) ??
    /^([a-z_]+) ([a-z]+_\w+)$/.exec(text) ??
    [];
  const [name, after = ""] = fields;
  const isOtherForm =
    (name === "event" && Number.isNaN(Number(after))) || (name === "portal_decision" && !after.includes("."));
  if (fields.length === 0 || isOtherForm) {
    throw refuse("unreadable_cursor", { field: "/cursor" });
  }
  return fields;
}

/** Lines of a kind with few rows, read at once. */
function whole(read: () => Promise<Line[]>): Section {
  return async function* () {
    yield { lines: await read(), cursor: null };
  };
}

const nothing = whole(async () => []);

/** The pages of a list up to its end, which is an empty page. A page whose answer was lost is read again. */
function paged<Row>(
  { pause }: Context,
  source: { read: (after: string | null) => Promise<Row[]>; getCursor: (row: Row) => string; view: (row: Row) => Line },
): Section {
  return async function* (from) {
    for (let cursor = from; ; ) {
      const after = cursor;
      const page = await untilKnown({ pause }, () => source.read(after));
      const last = page.at(-1);
      if (last === undefined) return;
      cursor = source.getCursor(last);
      yield { lines: page.map(source.view), cursor };
    }
  };
}
