import { EVENT_NAMES, isChannelEvent } from "../../src/domain/event.ts";
import { type Answer, patiently, sleep } from "../api/client.ts";
import type { Channel } from "../channel.ts";
import { allChannels } from "../channels.ts";
import { command } from "../command.ts";
import { localText } from "../output/format.ts";
import { formatDeliveryChannel } from "../output/show-post.ts";
import { writeTable } from "../output/table.ts";
import { jsonText, type Output, oneLine } from "../output/terminal.ts";
import { COMMON, signedIn, warn, writeJson } from "../session.ts";

type Event = Answer<"events.list">["events"][number];

const LOOK_EVERY_MS = 2_000;
/** Events shown before the new ones. */
const TAIL = 10;

export const events = command({
  name: "events",
  summary: "List events of deliveries and channels.",
  flags: {
    follow: {
      type: "boolean",
      short: "F",
      description: "Keep running and print new events; with --json, one per line.",
    },
    limit: { type: "string", value: "N", description: `Maximum number (default 50; ${TAIL} with --follow).` },
    event: { type: "string", value: "NAME", options: EVENT_NAMES, description: "Filter by type." },
    channels: {
      type: "boolean",
      description: "Include events of channels being connected, reconnected and disconnected.",
    },
    post: { type: "string", value: "POST", description: "Filter by post." },
    actor: {
      type: "string",
      value: "ACTOR",
      description: "Filter by user, key or application: an id from --json.",
    },
    ...COMMON,
  },
  examples: [
    ["crier events --limit 20", "The last 20 events, newest first."],
    ["crier events --follow --event delivery.failed", "Failures as they happen."],
    ["crier events --actor key_01kac4cw4z8a4c0e7g3j8m2q6s", "List what one key did."],
    ["crier events --follow --json | jq -r .url", "One line per event, for a script."],
  ],
  async run(args, shell) {
    const { out, signal } = shell;
    const client = await signedIn(args, shell);
    const event = args.get("event");
    const hasChannels = args.has("channels") || (event !== undefined && isChannelEvent(event));
    const include = hasChannels ? "channels" : undefined;
    const filter = { event, include, post: args.get("post"), actor: args.get("actor") };
    const asJson = args.has("json");
    if (!args.has("follow")) {
      const { body } = await client.call("events.list", { query: { ...filter, limit: args.get("limit") } });
      if (asJson) {
        writeJson(out, body);
        return 0;
      }
      const [channels, { body: workspace }] = await Promise.all([
        allChannels(client),
        client.call("workspaces.current"),
      ]);
      if (body.events.length === 0) out.line("No events match.");
      else writeEvents(out, body.events, channels, workspace.timezone);
      return 0;
    }
    const channels = asJson ? [] : await allChannels(client);
    const { timezone } = (await client.call("workspaces.current")).body;
    const show = (event: Event) => out.line(asJson ? jsonText(event) : eventLine(out, event, channels, timezone));
    // Finds the end of the log; later events are new.
    const end = await client.call("events.list", { query: { ...filter, limit: "1" } });
    const tail = await client.call("events.list", { query: { ...filter, limit: args.get("limit") ?? String(TAIL) } });
    const shownIds = new Set<string>();
    for (const event of [...tail.body.events].reverse()) {
      shownIds.add(event.id);
      show(event);
    }
    for (let cursor = end.body.next ?? undefined; ; ) {
      const query = { ...filter, order: "oldest", limit: "200", cursor };
      const read = () => client.call("events.list", { query });
      const { body } = await patiently(read, signal, (text) => warn(shell.err, text));
      for (const event of body.events) if (!shownIds.has(event.id)) show(event);
      cursor = body.next ?? cursor;
      if (body.events.length < 200) await sleep(LOOK_EVERY_MS, signal);
    }
  },
});

const COLOURS: Record<string, "green" | "red" | "yellow"> = {
  "delivery.succeeded": "green",
  "delivery.handed_over": "green",
  "delivery.failed": "red",
};

/** The channel of the event; empty for an event of the whole post. */
function formatChannel({ channel, platform }: Event, channels: Channel[]): string {
  return channel === null || platform === null ? "" : formatDeliveryChannel({ channel, platform }, channels);
}

function describeOutcome({ url, error, action, approval }: Event): string {
  const details = [error, action, approval?.by ?? null, approval?.reason ?? null];
  return oneLine(url ?? details.filter((detail) => detail !== null).join(", "));
}

function writeEvents(out: Output, events: Event[], channels: Channel[], zone: string): void {
  writeTable(out, events, [
    { title: zone, of: ({ created_at }) => localText(Date.parse(created_at), zone).slice(4) },
    {
      title: "event",
      of: ({ event }) => event,
      paint: (cell, { event }) => out.paint(COLOURS[event] ?? "yellow", cell),
    },
    { title: "channel", of: (event) => formatChannel(event, channels), least: 12 },
    { title: "outcome", of: describeOutcome },
    { title: "post", of: ({ post }) => post ?? "" },
  ]);
}

function eventLine(out: Output, event: Event, channels: Channel[], zone: string): string {
  const when = localText(Date.parse(event.created_at), zone).slice(4);
  const description = [formatChannel(event, channels), describeOutcome(event), event.post ?? ""]
    .filter((text) => text !== "")
    .join("  ");
  return `${out.paint("dim", when)}  ${out.paint(COLOURS[event.event] ?? "yellow", event.event)}  ${description}`;
}
