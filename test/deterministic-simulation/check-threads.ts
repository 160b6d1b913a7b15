// The reported state of each part of a thread at the end, compared with its network.
import { getThreadPosition, readText } from "./attribution.ts";
import { isComment } from "./checks-always.ts";
import { cameLate } from "./late-arrivals.ts";
import type { Say } from "./promises.ts";
import type { ViewedDelivery, Views } from "./views.ts";
import type { Channel, Wanted } from "./wanted.ts";
import type { Workload } from "./workload.ts";
import type { World } from "./world.ts";

export function judgeThreads(world: World, workload: Workload, views: Views, say: Say): void {
  for (const wanted of workload.wanted) {
    for (const channel of workload.channels) {
      if (channel.workspace !== wanted.workspace) continue;
      judgeOnce(world, wanted, channel, say);
      const delivery = views.get(wanted.n)?.find(({ channel: id }) => id === channel.id);
      if (delivery !== undefined) judgeParts(world, wanted, channel, delivery, say);
    }
  }
}

const findEntries = ({ networks }: World, { n }: Wanted, { platform, handle }: Channel) =>
  networks.ledger
    .list({ platform, account: handle })
    .filter((entry) => !isComment(entry) && readText(entry.text)?.n === n);

/**
 * Each further part exists once. A caller that created two posts without a key has two. A part that its owner deleted may be
 * sent again.
 */
function judgeOnce(world: World, wanted: Wanted, channel: Channel, say: Say): void {
  const posts = [...world.database.rows("SELECT text FROM posts"), ...world.archive.posts].filter(
    ({ text }) => readText(String(text))?.n === wanted.n,
  );
  const remaining = findEntries(world, wanted, channel).filter((entry) => !world.networks.removedByOwner.has(entry));
  const parts = Map.groupBy(remaining, getThreadPosition);
  for (const [part, entries] of parts)
    if (part > 0 && entries.length > Math.max(1, posts.length))
      say("published_once", `part ${part} of p${wanted.n} on ${channel.platform} is there ${entries.length} times`);
}

function judgeParts(world: World, wanted: Wanted, channel: Channel, delivery: ViewedDelivery, say: Say): void {
  const name = `p${wanted.n} on ${channel.platform} ${channel.handle}`;
  const lengths = wanted.threads(channel.id).map((thread) => thread.length);
  const parts = delivery.parts ?? [];
  const further = Math.max(0, parts.length - 1);
  if (!lengths.includes(further))
    say("sent_as_asked", `${name} is told to have ${further} further parts, wanted were ${lengths}`);
  const otherParts = parts.filter(({ status }) => status !== "live" && status !== "removed");
  if (delivery.status === "live" && otherParts.length > 0)
    say(
      "parts_are_true",
      `${name} is told to be live, and its parts ${otherParts.map(({ position }) => position)} are not`,
    );
  const all = findEntries(world, wanted, channel);
  const [firstRest] = otherParts;
  for (const { position, status, url } of parts) {
    const entries = all.filter((entry) => getThreadPosition(entry) === position);
    const isVisible = entries.some(({ deleted }) => !deleted);
    const part = `part ${position} of ${name}`;
    if (status === "live" && entries.length === 0) say("parts_are_true", `${part} is told to be live and is not there`);
    const isAt = entries.some((entry) => entry.url === url || url?.includes(entry.id) === true);
    if (status === "live" && url !== null && entries.length > 0 && !isAt)
      say("parts_are_true", `${part} is told to be at ${url}, and it is at ${entries.map((entry) => entry.url)}`);
    const wasUnseen = world.injected.filter(
      ({ kind, n, platform }) => kind === "wire_unseen" && n === wanted.n && platform === channel.platform,
    );
    // A network that twice reports a part as missing is believed; once is enough after a takedown request.
    const isBelieved = wasUnseen.length >= (delivery.removed_by === "you" ? 1 : 2);
    if (status === "removed" && isVisible && !isBelieved && !cameLate(world, wanted, channel))
      say("parts_are_true", `${part} is told to be removed and is there`);
    const isOpen = delivery.error === "outcome_unknown" && position === firstRest?.position;
    if (!["live", "removed"].includes(status) && isVisible && !isOpen)
      say("parts_are_true", `${part} is told to be ${status} and is there`);
  }
}
