// A published post says what was requested, field by field: text, files in order, their descriptions, options and the first
// comment.
import { createHash } from "node:crypto";
import type { LedgerEntry } from "../../simulators/ledger.ts";
import { getThreadPosition } from "./attribution.ts";
import { findTarget, isComment } from "./checks-always.ts";
import { DRAFT, FILES, hasText, isDraft, SHOWN_OPTIONS } from "./networks.ts";
import type { Say } from "./promises.ts";
import { getAltText } from "./tenants.ts";
import type { Channel, Wanted } from "./wanted.ts";
import type { Workload } from "./workload.ts";
import type { World } from "./world.ts";

/** Networks that keep the description of a picture. */
const KEEPS_ALT = ["bluesky", "x", "linkedin", "threads", "instagram", "pinterest", "facebook"];

const hashes = new Map<Uint8Array, string>();
function getHash(bytes: Uint8Array): string {
  const known = hashes.get(bytes) ?? createHash("sha256").update(bytes).digest("hex");
  hashes.set(bytes, known);
  return known;
}

/** A file of a library, by its id. */
export const hashOfFile = (files: readonly string[], id: string): string =>
  getHash(FILES[files.indexOf(id)]?.bytes ?? new Uint8Array());

/** Judges every ledger entry against the requests made by then. */
export function judgePayload(world: World, workload: Workload, say: Say): void {
  const all = world.networks.ledger.list();
  for (const entry of all) {
    if (isComment(entry)) continue;
    const target = findTarget(entry, workload);
    if (target === null) continue;
    judgeEntry(entry, target, world, workload, say);
    judgeComments(
      all.filter(
        (other) => isComment(other) && other.platform === entry.platform && other.detail.comment_on === entry.id,
      ),
      entry,
      target,
      say,
    );
  }
  for (const comment of all.filter(isComment)) {
    const on = all.some(({ platform, id }) => platform === comment.platform && id === comment.detail.comment_on);
    if (!on) say("sent_as_asked", `${comment.platform} has a comment on nothing of ours: ${comment.text}`);
  }
}

function judgeEntry(
  entry: LedgerEntry,
  { wanted, channel }: { wanted: Wanted; channel: Channel },
  world: World,
  workload: Workload,
  say: Say,
): void {
  const at = entry.at_ms;
  const name = `p${wanted.n} on ${channel.platform} ${channel.handle}`;
  const position = getThreadPosition(entry);
  const parts = wanted.parts(channel.id, position, at);
  const texts = position === 0 ? wanted.texts(channel.id, at) : parts.map(({ text }) => text);
  if (!texts.some((text) => hasText(entry, text)))
    say("sent_as_asked", `${name} says "${entry.text}", wanted was ${JSON.stringify(texts)}`);
  if (!wanted.channels.possible(at).some(({ value }) => value.includes(channel.id)))
    say("sent_as_asked", `${name} went to a channel that was no longer asked for`);

  const { files: own } = workload.getTenant(wanted.workspace);
  const hashOfId = (id: string) => hashOfFile(own, id);
  const shown = entry.media.map(({ sha256 }) => sha256);
  const possible = position === 0 ? wanted.files(channel.id, at) : parts.map(({ media }) => media);
  const same = possible.find((ids) => ids.length === shown.length && ids.every((id, i) => hashOfId(id) === shown[i]));
  if (same === undefined) {
    const isAny = possible.some((ids) => ids.length === shown.length);
    say(
      "sent_as_asked",
      `${name} has ${shown.length} files that are ${isAny ? "not those that were judged, or in another order" : "not as many as asked for"}`,
    );
  } else if (KEEPS_ALT.includes(channel.platform) && !hadNonsense(world, channel)) {
    for (const [i, id] of same.entries())
      if (entry.media[i]?.type.startsWith("image") && entry.media[i]?.alt !== getAltText(id))
        say("sent_as_asked", `${name} says of file ${i} "${entry.media[i]?.alt}"`);
  }

  const modes = wanted.option(channel.id, "post_mode", at).map((mode) => mode === DRAFT.post_mode);
  if (!modes.includes(isDraft(entry)))
    say("sent_as_asked", `${name} is ${isDraft(entry) ? "a draft, and was to be published" : "no draft"}`);
  const option = SHOWN_OPTIONS[channel.platform];
  if (option === undefined) return;
  const values = wanted.option(channel.id, option.name, at);
  const stands = option.shown(entry);
  // A missing option has the network's own default.
  if (!values.some((value) => value === undefined || String(value) === String(stands)))
    say("sent_as_asked", `${name} has ${option.name} ${String(stands)}, wanted was ${JSON.stringify(values)}`);
}

/** Whether the network acknowledged a description that it had not stored. */
const hadNonsense = ({ injected }: World, channel: Channel): boolean =>
  injected.some(({ kind, platform }) => kind === "wire_garbage" && platform === channel.platform);

function judgeComments(
  comments: LedgerEntry[],
  entry: LedgerEntry,
  { wanted, channel }: { wanted: Wanted; channel: Channel },
  say: Say,
): void {
  const name = `p${wanted.n} on ${channel.platform} ${channel.handle}`;
  if (comments.length > 1) say("published_once", `${name} has ${comments.length} first comments`);
  const asked = wanted.option(channel.id, "first_comment", entry.at_ms);
  for (const { text, account } of comments) {
    if (!asked.includes(text))
      say("sent_as_asked", `${name} has the first comment "${text}", wanted was ${JSON.stringify(asked)}`);
    if (account !== entry.account) say("sent_as_asked", `${name} has a first comment of ${account}`);
  }
}
