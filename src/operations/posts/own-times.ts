// Reads the times that single channels of a post have of their own (`publish_at` in an override), in the same forms as the
// post's own `publish_at`.
import type { Context } from "../../context.ts";
import { checkPublishAt, readInstant } from "../../domain/instant.ts";
import { NEXT_SLOT } from "../../domain/next-slot.ts";
import { readOwnTimes, withOwnTimes } from "../../domain/posts/own-time.ts";
import { refuse, type Violation } from "../../domain/refusal.ts";
import type { SlotWish } from "../../store/slots.ts";
import { pointer } from "../refuse-issues.ts";
import { findFree } from "../slots/free.ts";
import type { CheckMaterial, PostBody } from "./read-for-check.ts";

const fieldOf = (channel: string) => `/overrides${pointer([channel, "publish_at"])}`;

interface OwnTimes {
  /** By channel id, in epoch milliseconds; null: the channel's next free slot. */
  times: Map<string, number | null>;
  broken: Violation[];
}

/**
 * Reads the own times of a post. `accepted`: times that were accepted before, which are judged again only if they change.
 */
export function checkOwnTimes(
  { overrides = {} }: PostBody,
  { timezone, now, accepted }: { timezone: string; now: number; accepted: ReadonlyMap<string, number> },
): OwnTimes {
  const times: OwnTimes["times"] = new Map();
  const broken: Violation[] = [];
  for (const [channel, { publish_at: value }] of Object.entries(overrides)) {
    if (value === undefined || value === null) continue;
    const field = fieldOf(channel);
    const read = value === NEXT_SLOT ? null : readInstant(value, timezone, field);
    if (read !== null && typeof read !== "number") {
      broken.push({ ...read, channel });
      continue;
    }
    const problem = read === null || accepted.get(channel) === read ? null : checkPublishAt(read, now, field);
    if (problem !== null) broken.push({ ...problem, channel });
    times.set(channel, read);
  }
  return { times, broken };
}

/** The body with its own times as instants, and the slots that it takes for single channels. */
export interface ResolvedTimes {
  body: PostBody;
  /** Each has a single candidate, which must still be free when the post is written. */
  ownSlots: SlotWish[];
}

/** Takes the next free slot for each channel that asks for one. Throws `no_free_slot`. */
export async function resolveOwnTimes(
  ctx: Context,
  body: PostBody,
  {
    workspace,
    slots,
    ofPost,
    now,
  }: Pick<CheckMaterial, "slots" | "ofPost" | "now"> & {
    workspace: { id: string; timezone: string };
  },
  { times }: OwnTimes,
): Promise<ResolvedTimes> {
  if (body.overrides === undefined) return { body, ownSlots: [] };
  const ownSlots: SlotWish[] = [];
  const instants = new Map<string, number>();
  for (const [channel, time] of times) {
    if (time !== null) {
      instants.set(channel, time);
      continue;
    }
    const wish = { workspaceId: workspace.id, post: ofPost, channels: [channel] };
    const db = ctx.databaseOf(workspace.id);
    const [first] = await findFree(db, { ...wish, slots, timezone: workspace.timezone }, now, 1);
    if (first === undefined) throw refuse("no_free_slot", { field: fieldOf(channel) });
    ownSlots.push({ ...wish, candidates: [first] });
    instants.set(channel, first);
  }
  return { body: { ...body, overrides: withOwnTimes(body.overrides, instants) }, ownSlots };
}

/** The overrides without the own times that have passed at `now` (epoch milliseconds). */
export function dropPastTimes<Overrides extends NonNullable<PostBody["overrides"]>>(overrides: Overrides, now: number) {
  const ahead = [...readOwnTimes(overrides)].filter(([, time]) => checkPublishAt(time, now, "") === null);
  return withOwnTimes(overrides, new Map(ahead));
}
