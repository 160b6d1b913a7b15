// Everything of a workspace, line by line. Each kind is read page by page, and a page is let go before the next is read, so that
// what is held does not grow with the workspace.
import type * as z from "zod";
import type { Context } from "../../context.ts";
import type { exportWorkspace as contract, ExportedLine } from "../../contract/export.ts";
import { refuse } from "../../domain/refusal.ts";
import { getWorkspace } from "../../store/accounts/workspaces.ts";
import { listChannels } from "../../store/channels/channels.ts";
import { listConnectorRequests } from "../../store/connector-requests.ts";
import { ask } from "../../store/db/batch.ts";
import { untilKnown } from "../../store/db/until-known.ts";
import { listEvents } from "../../store/events.ts";
import { listMedia } from "../../store/media/media.ts";
import { allPosts } from "../../store/posts/posts.ts";
import { readSlots } from "../../store/slots.ts";
import { listWebhooks } from "../../store/webhooks/endpoints.ts";
import { workspaceView } from "../accounts/views.ts";
import { connectorRequestView } from "../channels/connector-requests.ts";
import { channelView } from "../channels/view.ts";
import { eventView } from "../events/list.ts";
import { mediaView } from "../media/view.ts";
import { postView } from "../posts/view.ts";
import type { Stream } from "../run.ts";
import { slotsView } from "../slots/view.ts";
import { webhookView } from "../webhooks/view.ts";

type Line = z.input<typeof ExportedLine>;

/** Rows that are read at once: an invocation may ask its database a thousand times. */
const PAGE = 500;

export const exportWorkspace: Stream<typeof contract> = async function* (ctx, { workspaceId }) {
  let lines = 0;
  for await (const part of parts(ctx, workspaceId)) {
    lines += part.length;
    yield part.map((line) => `${JSON.stringify(line)}\n`).join("");
  }
  const end: Line = { type: "end", lines };
  yield `${JSON.stringify(end)}\n`;
};

async function* parts(ctx: Context, workspaceId: string): AsyncGenerator<Line[]> {
  const db = ctx.databaseOf(workspaceId);
  const limit = PAGE;
  const row = await getWorkspace(ctx.accounts, workspaceId);
  if (row === undefined) throw refuse("unauthorized");
  yield [{ type: "workspace", ...workspaceView(row) }];
  const channels = (before: string | null) => listChannels(db, workspaceId, { limit, before, only: null });
  for await (const page of pages(ctx, channels, ({ id }) => id)) {
    yield page.map((one) => ({ type: "channel", ...channelView(one, ctx.now()) }));
  }
  const requests = await listConnectorRequests(db, workspaceId);
  yield requests.map((one) => ({ type: "connector_request", ...connectorRequestView(one) }));
  const webhooks = (before: string | null) => listWebhooks(db, workspaceId, limit, before);
  for await (const page of pages(ctx, webhooks, ({ id }) => id)) {
    yield page.map((one) => ({ type: "webhook", ...webhookView(one) }));
  }
  const { slots, present } = await ask(db, readSlots(db, workspaceId, null));
  yield [{ type: "slots", ...slotsView(slots, present) }];
  const media = (before: string | null) => listMedia(db, workspaceId, limit, before);
  for await (const page of pages(ctx, media, ({ id }) => id)) {
    yield page.map((one) => ({ type: "media", ...mediaView(ctx, one) }));
  }
  const posts = (before: string | null) => ask(db, allPosts(db, workspaceId, { before, limit }));
  for await (const page of pages(ctx, posts, ({ post }) => post.id)) {
    yield page.map((one) => ({ type: "post", ...postView(one) }));
  }
  const filter = { event: null, post: null, channel: null, order: "oldest", limit } as const;
  const events = async (after: number | null) => (await listEvents(db, workspaceId, { ...filter, after })).events;
  for await (const page of pages(ctx, events, ({ seq }) => seq)) {
    yield page.map(({ body }) => ({ type: "event", ...eventView(body) }));
  }
}

/** The pages of a list up to its end, which is an empty one. A page whose answer was lost is read again. */
async function* pages<Row, Place>(
  ctx: Context,
  read: (after: Place | null) => Promise<Row[]>,
  placeOf: (row: Row) => Place,
): AsyncGenerator<Row[]> {
  for (let after: Place | null = null; ; ) {
    const place: Place | null = after;
    const page = await untilKnown({ pause: ctx.pause }, () => read(place));
    const last = page.at(-1);
    if (last === undefined) return;
    yield page;
    after = placeOf(last);
  }
}
