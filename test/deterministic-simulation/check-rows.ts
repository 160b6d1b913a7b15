// Promises about each change of a delivery's row apart from its state: comments, takedowns and the last part of a thread.
import { readText } from "./attribution.ts";
import type { Change, Row } from "./database.ts";
import { isDraft } from "./networks.ts";
import type { Say } from "./promises.ts";
import type { Workload } from "./workload.ts";
import type { World } from "./world.ts";

const nameOf = ({ post_id, channel_id }: Row) => `${post_id} ${channel_id}`;
const ANEW = "is begun anew because it was asked for twice";

/** The takedown of a delivery, as it is stored; undefined if nobody has asked for one. */
export function takedownOf({ database }: Pick<World, "database">, { workspace_id, post_id, channel_id }: Row) {
  const [row] = database.rows(
    "SELECT * FROM follow_ups WHERE workspace_id = ? AND post_id = ? AND channel_id = ? AND kind = 'takedown'",
    String(workspace_id),
    String(post_id),
    String(channel_id),
  );
  return row;
}

/** A takedown that is added or changed. */
export function judgeTakedown(world: World, before: Row | null, after: Row, say: Say): void {
  if (after.kind !== "takedown" || after.state !== "due") return;
  if (world.acting?.kind === "api" && before?.state === "due" && before.tries !== after.tries)
    say("takedown_was_asked", `taking ${nameOf(after)} down ${ANEW}`);
  const [delivery] = world.database.rows(
    "SELECT state FROM deliveries WHERE workspace_id = ? AND post_id = ? AND channel_id = ?",
    String(after.workspace_id),
    String(after.post_id),
    String(after.channel_id),
  );
  if (delivery?.state === "removed") say("takedown_was_asked", `${nameOf(after)} is gone and is to be taken down`);
}

/** `changes`: all of its commit. */
export function judgeRowChange(
  world: World,
  workload: Workload,
  { before, after, changes }: { before: Row; after: Row; changes: readonly Change[] },
  say: Say,
): void {
  const isNew = changes.some(
    ({ table, before: from, after: to }) =>
      table === "follow_ups" && to?.kind === "takedown" && nameOf(to) === nameOf(after) && from?.state !== "due",
  );
  const isAskedAgain = world.acting?.kind === "api" && !isNew && after.check_at !== before.check_at;
  if (isAskedAgain && takedownOf(world, after)?.state === "due")
    say("takedown_was_asked", `taking ${nameOf(after)} down ${ANEW}`);
  if (before.state !== "live" && after.state === "live") judgeLive(world, workload, after, say);
  if (before.state !== "handed_over" && after.state === "handed_over") judgeHandedOver(world, workload, after, say);
}

const INSTANTS = /_at$|^(?:not_before|scheduled_for)$/;

export function judgeInstants(changes: readonly Change[], say: Say): void {
  for (const { table, after } of changes)
    for (const [column, value] of Object.entries(after ?? {}))
      if (INSTANTS.test(column) && typeof value === "number" && !Number.isInteger(value))
        say("instants_are_whole", `${table} is given ${value} as its ${column}`);
}

/** A draft is reported as handed over once it is in the account's inbox, even if its owner has discarded it since. */
function judgeHandedOver(world: World, workload: Workload, row: Row, say: Say): void {
  const [post] = world.database.rows("SELECT text FROM posts WHERE id = ?", String(row.post_id));
  const channel = workload.channels.find(({ id }) => id === row.channel_id);
  const n = readText(String(post?.text))?.n;
  if (channel === undefined || n === undefined) return;
  const entries = world.networks.ledger.list({ platform: channel.platform, account: channel.handle });
  if (!entries.some((entry) => isDraft(entry) && readText(entry.text)?.n === n))
    say("drafts_are_true", `p${n} on ${channel.platform} is told to be handed over, and no inbox has its draft`);
}

/** A thread is reported as live once its network has all of it. */
function judgeLive(world: World, workload: Workload, row: Row, say: Say): void {
  const [post] = world.database.rows("SELECT text, thread, overrides FROM posts WHERE id = ?", String(row.post_id));
  const channel = workload.channels.find(({ id }) => id === row.channel_id);
  if (post === undefined || channel === undefined) return;
  const override = JSON.parse(String(post.overrides))[channel.id]?.thread;
  const thread: unknown[] = override ?? JSON.parse(String(post.thread ?? "[]")) ?? [];
  const n = readText(String(post.text))?.n;
  const entries = world.networks.ledger.list({ platform: channel.platform, account: channel.handle });
  for (let position = 1; position <= thread.length; position++) {
    const isThere = entries.some(({ text }) => readText(text)?.n === n && readText(text)?.part === position);
    if (!isThere) say("thread_in_order", `p${n} on ${channel.platform} is told to be live without part ${position}`);
  }
}
