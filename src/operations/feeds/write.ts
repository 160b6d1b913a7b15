// Adds, changes and deletes feeds.
import type { Context } from "../../context.ts";
import type {
  changeFeed as changeContract,
  createFeed as createContract,
  removeFeed as removeContract,
} from "../../contract/feeds.ts";
import { fillTemplate } from "../../domain/feeds/template.ts";
import { makeId } from "../../domain/ids.ts";
import { FEEDS_MAX, MINUTE_MS, NAME_LENGTH_MAX } from "../../domain/limits.ts";
import { refuse, refuseNotFound } from "../../domain/refusal.ts";
import { cleanName } from "../../domain/visible-name.ts";
import { visibleText } from "../../domain/visible-text.ts";
import { deleteFeed, getFeed, insertFeed, updateFeed } from "../../store/feeds.ts";
import { makeEntry } from "../audit-entry.ts";
import { inWorkspace, refuseWithoutAbility, type WorkspaceCaller } from "../caller.ts";
import { idOfCaller } from "../name-of.ts";
import { refuseTwice, refuseUnknownChannel } from "../named-channels.ts";
import { limitOutbound } from "../rate-limit.ts";
import { databaseToWrite } from "../rights.ts";
import { created, noContent, ok, type Run } from "../run.ts";
import { FeedFault, markOf, NotAFeed, readFeed } from "./document.ts";
import { feedView } from "./view.ts";

export const createFeed: Run<typeof createContract> = async (ctx, caller, { body }) => {
  const workspaceCaller = inWorkspace(caller);
  const { workspaceId } = workspaceCaller;
  const { url, channels, labels, template, draft, publish_at: publishAt, interval_minutes: intervalMinutes } = body;
  refuseWithoutAbility(caller, draft ? "draft" : "publish");
  refuseTwice(channels);
  const { address, document, validators, seen } = await look(ctx, workspaceCaller, url);
  const now = ctx.now();
  const id = makeId("feed", now, ctx.entropy);
  const title = cleanName(visibleText(document.title, NAME_LENGTH_MAX));
  const row = await insertFeed(
    databaseToWrite(ctx, workspaceCaller),
    {
      workspaceId,
      id,
      name: body.name ?? (title === "" ? address.host : title),
      url: address.href,
      channels,
      labels,
      template,
      draft,
      publishAt,
      intervalMinutes,
      madeBy: idOfCaller(workspaceCaller),
      madeSince: now,
      createdAt: now,
      nextReadAt: body.paused ? null : now + intervalMinutes * MINUTE_MS,
      lastReadAt: now,
      validators,
      seen,
    },
    FEEDS_MAX,
    makeEntry(ctx, workspaceCaller, "feed.created", { target: { id, name: address.host } }),
  );
  if (row === undefined) {
    await refuseUnknownChannel(ctx, workspaceId, channels);
    throw refuse("too_many_entries", { message: `The workspace has ${FEEDS_MAX} feeds.` });
  }
  const [newest] = document.items;
  return created({
    ...feedView(row),
    preview: newest === undefined ? null : fillTemplate(template, newest),
    warnings: ctx.outbound.warn(address),
  });
};

export const changeFeed: Run<typeof changeContract> = async (ctx, caller, { params: { id }, body }) => {
  const workspaceCaller = inWorkspace(caller);
  const { workspaceId } = workspaceCaller;
  const feed = await getFeed(ctx.databaseOf(workspaceId), workspaceId, id);
  if (feed === undefined) throw refuseNotFound("feed");
  if (Object.keys(body).length === 0) return ok(feedView(feed));
  refuseWithoutAbility(caller, (body.draft ?? feed.draft) ? "draft" : "publish");
  refuseTwice(body.channels ?? []);
  const looked = body.url === undefined || body.url === feed.url ? null : await look(ctx, workspaceCaller, body.url);
  const now = ctx.now();
  const intervalMinutes = body.interval_minutes ?? feed.intervalMinutes;
  const isPaused = body.paused ?? feed.nextReadAt === null;
  const row = await updateFeed(
    databaseToWrite(ctx, workspaceCaller),
    id,
    {
      name: body.name,
      channels: body.channels,
      labels: body.labels,
      template: body.template,
      draft: body.draft,
      publishAt: body.publish_at,
      intervalMinutes,
      madeBy: idOfCaller(workspaceCaller),
      madeSince: now,
      problem: null,
      nextReadAt: isPaused ? null : Math.min(feed.nextReadAt ?? now, now + intervalMinutes * MINUTE_MS),
      ...(looked === null
        ? {}
        : { url: looked.address.href, validators: looked.validators, seen: looked.seen, lastReadAt: now }),
    },
    makeEntry(ctx, workspaceCaller, "feed.changed", { target: { id, name: new URL(feed.url).host } }),
  );
  if (row !== undefined) return ok(feedView(row));
  await refuseUnknownChannel(ctx, workspaceId, body.channels ?? []);
  throw refuseNotFound("feed");
};

export const removeFeed: Run<typeof removeContract> = async (ctx, caller, { params: { id } }) => {
  const workspaceCaller = inWorkspace(caller);
  const entry = makeEntry(ctx, workspaceCaller, "feed.deleted", { target: { id, name: null } });
  if (!(await deleteFeed(databaseToWrite(ctx, workspaceCaller), id, entry))) throw refuseNotFound("feed");
  return noContent;
};

/** Reads a feed at the address that a caller named. Throws the refusals of an address that has none. */
async function look(ctx: Context, { workspaceId }: WorkspaceCaller, url: string) {
  const address = ctx.outbound.check(url);
  if (typeof address === "string") throw refuse(address, { field: "/url" });
  await limitOutbound(ctx, workspaceId);
  try {
    const { document, validators } = await readFeed(ctx, workspaceId, address.href);
    const items = document?.items ?? [];
    return {
      address,
      document: document ?? { title: "", items },
      validators,
      seen: await Promise.all(items.map(markOf)),
    };
  } catch (error) {
    if (error instanceof NotAFeed) throw refuse("feed_unreadable", { field: "/url" });
    if (!(error instanceof FeedFault)) throw error;
    const code = {
      not_public: "url_not_public",
      too_large: "feed_unreadable",
      unreachable: "url_unreachable",
    } as const;
    throw refuse(code[error.code], { field: "/url", message: error.message });
  }
}
