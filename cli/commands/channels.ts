import type { Channel } from "../channel.ts";
import { allChannels, nameFor } from "../channels.ts";
import { command } from "../command.ts";
import { relativeText } from "../output/format.ts";
import { writeTable } from "../output/table.ts";
import { type Output, oneLine } from "../output/terminal.ts";
import { COMMON, signedIn, writeJson } from "../session.ts";
import { channelOptions } from "./channel-options.ts";
import { connect } from "./connect.ts";

export const channels = command({
  name: "channels",
  summary: "List your channels. channels connect adds one.",
  flags: COMMON,
  commands: [connect, channelOptions],
  examples: [
    ["crier channels", "List the accounts with the names that --channel accepts."],
    ["crier channels connect PLATFORM", "Add or reconnect an account."],
  ],
  async run(words, shell) {
    const { out } = shell;
    const client = await signedIn(words, shell);
    if (words.on("json")) {
      const all = await allChannels(client);
      writeJson(out, { channels: all, next: null });
      return 0;
    }
    const all = await allChannels(client);
    if (all.length === 0) out.line("No channel is connected: crier channels connect PLATFORM");
    else writeChannels(out, all, client.now());
    return 0;
  },
});

function writeChannels(out: Output, all: Channel[], now: number): void {
  writeTable(out, all, [
    { title: "channel", of: (channel) => nameFor(channel, all), least: 12 },
    { title: "platform", of: ({ platform }) => platform },
    { title: "name", of: ({ name }) => oneLine(name ?? ""), least: 10 },
    {
      title: "state",
      of: ({ state }) => state.replace("_", " "),
      paint: (cell, { state }) => out.paint(state === "connected" ? "green" : "yellow", cell),
    },
    {
      title: "token",
      of: ({ token_expires_at: at }) => {
        if (at === null) return "";
        return `${Date.parse(at) > now ? "ends" : "ended"} ${relativeText(Date.parse(at), now)}`;
      },
    },
    { title: "connected by", of: ({ connected_by: by }) => oneLine(by ?? ""), least: 10 },
    { title: "id", of: ({ id }) => id },
  ]);
}
