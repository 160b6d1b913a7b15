import type { Answer, Client } from "../api/client.ts";
import { allChannels, findChannel, formatChannelNames } from "../channels.ts";
import { command, type Shell } from "../command.ts";
import { EXIT, Failure, usage } from "../failure.ts";
import { timeText } from "../output/show-post.ts";
import { writeTable } from "../output/table.ts";
import { oneLine } from "../output/terminal.ts";
import { COMMON, signedIn, writeJson } from "../session.ts";

type Slot = Answer<"slots.read">["slots"][number];

const DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
const WEEKDAYS: Record<string, number[]> = { daily: [1, 2, 3, 4, 5, 6, 7], weekdays: [1, 2, 3, 4, 5] };
const SLOT_FORMS = "'monday 9:30', 'mon,thu 17:00', 'weekdays 8:00' or 'daily 12:00'";
const CHANNEL = {
  type: "string",
  short: "c",
  value: "CHANNEL",
  multiple: true,
  description: "An id, a handle, a platform, or platform:handle.",
} as const;
const SLOT = { name: "slot", description: `Day and time: ${SLOT_FORMS}.`, required: true } as const;

const nextSlots = command({
  name: "next",
  summary: "Show the next free slots.",
  flags: {
    channel: CHANNEL,
    count: { type: "string", value: "N", description: "Maximum number (default 10)." },
    ...COMMON,
  },
  examples: [["crier slots next -c @you", "List the times that --at next-slot would use."]],
  async run(args, shell) {
    const { out } = shell;
    const names = args.getAll("channel");
    if (names.length === 0) throw usage("--channel is missing.", "the free slots depend on the post's channels");
    const client = await signedIn(args, shell);
    const workspaceChannels = await allChannels(client);
    const channels = names.map((name) => findChannel(name, workspaceChannels).id).join(",");
    const { body } = await client.call("slots.next", { query: { channels, count: args.get("count") } });
    if (args.has("json")) writeJson(out, body);
    else if (body.slots.length === 0) out.line("No slot is free. To list all slots: crier slots");
    else {
      const { timezone } = (await client.call("workspaces.current")).body;
      for (const { at } of body.slots) out.line(timeText(at, timezone, client.now()));
    }
    return EXIT.done;
  },
});

const addSlot = command({
  name: "add",
  summary: "Add a weekly slot.",
  positionals: [SLOT],
  flags: {
    channel: { ...CHANNEL, description: "Reserve the slot for these channels. Default: all channels." },
    ...COMMON,
  },
  examples: [
    ["crier slots add 'weekdays 9:30'", "Add five slots for all channels."],
    ["crier slots add 'sat 11:00' -c @you", "Add a slot for one channel."],
  ],
  async run(args, shell) {
    const times = readSlot(args.positionals[0] ?? "");
    const client = await signedIn(args, shell);
    const workspaceChannels = await allChannels(client);
    const channelIds = args.getAll("channel").map((name) => findChannel(name, workspaceChannels).id);
    const channels = channelIds.length === 0 ? null : channelIds;
    const { slots } = (await client.call("slots.read")).body;
    return replace(client, shell, [...slots, ...times.map((time) => ({ ...time, channels }))], args.has("json"));
  },
});

const removeSlot = command({
  name: "remove",
  summary: "Remove a weekly slot.",
  details: "Posts already scheduled in the slot keep their time.",
  positionals: [SLOT],
  flags: COMMON,
  examples: [["crier slots remove 'fri 9:30'", "Remove this time for all channels."]],
  async run(args, shell) {
    const times = readSlot(args.positionals[0] ?? "");
    const client = await signedIn(args, shell);
    const { slots } = (await client.call("slots.read")).body;
    const isNamed = (slot: Slot) => times.some(({ weekday, time }) => weekday === slot.weekday && time === slot.time);
    const remainingSlots = slots.filter((slot) => !isNamed(slot));
    if (remainingSlots.length === slots.length)
      throw new Failure(EXIT.refused, "There is no such slot.", "crier slots");
    return replace(client, shell, remainingSlots, args.has("json"));
  },
});

export const slots = command({
  name: "slots",
  summary: "Show the weekly publishing times that --at next-slot uses.",
  flags: COMMON,
  commands: [nextSlots, addSlot, removeSlot],
  examples: [
    ["crier slots", "Show the week in the workspace's time zone."],
    ["crier post 'Hello' -c @you --at next-slot", "Publish in the next free slot."],
  ],
  async run(args, shell) {
    const client = await signedIn(args, shell);
    const { body } = await client.call("slots.read");
    return show(client, shell, body, args.has("json"));
  },
});

async function replace(client: Client, shell: Shell, slots: Slot[], asJson: boolean): Promise<number> {
  const { body } = await client.call("slots.set", { body: { slots } });
  return show(client, shell, body, asJson);
}

async function show(client: Client, { out }: Shell, body: Answer<"slots.read">, asJson: boolean): Promise<number> {
  if (asJson) writeJson(out, body);
  else if (body.slots.length === 0) out.line("There are no slots. To add some: crier slots add 'weekdays 9:30'");
  else {
    const workspaceChannels = await allChannels(client);
    writeTable(out, body.slots, [
      { title: "day", of: ({ weekday }) => DAYS[weekday - 1] ?? "" },
      { title: "time", of: ({ time }) => time },
      {
        title: "channels",
        of: ({ channels }) =>
          channels === null ? "all" : formatChannelNames(channels, workspaceChannels, "no slots left"),
        least: 12,
      },
    ]);
  }
  return EXIT.done;
}

/** Reads the weekdays and the time, with the time in the service's format. */
function readSlot(typed: string): { weekday: number; time: string }[] {
  const [, days = "", hour = "", minute = ""] = /^\s*([a-z,]+)\s+(\d{1,2}):(\d{2})\s*$/i.exec(typed) ?? [];
  const weekdays = WEEKDAYS[days.toLowerCase()] ?? days.toLowerCase().split(",").map(parseWeekday);
  if (hour === "" || weekdays.includes(0) || Number(hour) > 23 || Number(minute) > 59) {
    throw usage(`'${oneLine(typed)}' is not a valid slot.`, `for example ${SLOT_FORMS}`);
  }
  return weekdays.map((weekday) => ({ weekday, time: `${hour.padStart(2, "0")}:${minute}` }));
}

/** 1 for Monday or mon; 0: not a weekday. */
function parseWeekday(name: string): number {
  return DAYS.findIndex((day) => day.toLowerCase() === name || day.slice(0, 3).toLowerCase() === name) + 1;
}
