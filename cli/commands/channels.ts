import type { Channel } from "../channel.ts";
import { allChannels, nameFor } from "../channels.ts";
import { command } from "../command.ts";
import { relativeText } from "../output/format.ts";
import { writeTable } from "../output/table.ts";
import { type Output, oneLine } from "../output/terminal.ts";
import { COMMON, signedIn, writeJson } from "../session.ts";
import { channelOptions } from "./channel-options.ts";
import { connect } from "./connect.ts";
import { removeChannel } from "./remove-channel.ts";

export const channels = command({
  name: "channels",
  summary: "List your channels. channels connect adds one, channels remove takes one away.",
  flags: COMMON,
  commands: [connect, channelOptions, removeChannel],
  examples: [
    ["crier channels", "List the accounts with the names that --channel accepts."],
    ["crier channels connect PLATFORM", "Add or reconnect an account."],
  ],
  async run(args, shell) {
    const { out } = shell;
    const client = await signedIn(args, shell);
    if (args.has("json")) {
      const listedChannels = await allChannels(client);
      writeJson(out, { channels: listedChannels, next: null });
      return 0;
    }
    const workspaceChannels = await allChannels(client);
    if (workspaceChannels.length === 0) out.line("No channel is connected: crier channels connect PLATFORM");
    else writeChannels(out, workspaceChannels, client.now());
    return 0;
  },
});

function writeChannels(out: Output, workspaceChannels: Channel[], now: number): void {
  writeTable(out, workspaceChannels, [
    { title: "channel", of: (channel) => nameFor(channel, workspaceChannels), least: 12 },
    { title: "platform", of: ({ platform }) => platform },
    { title: "name", of: ({ name }) => oneLine(name ?? ""), least: 10 },
    {
      title: "state",
      of: ({ state }) => state.replace("_", " "),
      paint: (cell, { state }) => out.paint(state === "connected" ? "green" : "yellow", cell),
    },
    {
      title: "token",
      of: ({ token_expires_at: expiresAt }) => {
        if (expiresAt === null) return "";
        return `${Date.parse(expiresAt) > now ? "ends" : "ended"} ${relativeText(Date.parse(expiresAt), now)}`;
      },
    },
    { title: "connected by", of: ({ connected_by: connectedBy }) => oneLine(connectedBy ?? ""), least: 10 },
    { title: "id", of: ({ id }) => id },
  ]);
}
