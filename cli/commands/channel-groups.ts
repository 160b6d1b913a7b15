import { allChannelGroups, findGroup } from "../channel-groups.ts";
import { allChannels, CHANNEL_FLAG, findChannel, formatChannelNames } from "../channels.ts";
import { command } from "../command.ts";
import { usage } from "../failure.ts";
import { count } from "../output/format.ts";
import { writeTable } from "../output/table.ts";
import { oneLine } from "../output/terminal.ts";
import { COMMON, signedIn, writeJson } from "../session.ts";

const GROUP = { name: "group", description: "Id or name of the group.", required: true } as const;
const CHANNEL = {
  ...CHANNEL_FLAG,
  description: "Channel of the group: an id, a handle, a platform, or platform:handle.",
} as const;

const create = command({
  name: "create",
  summary: "Create a channel group.",
  positionals: [{ name: "name", description: "Name of the group.", required: true }],
  flags: { channel: CHANNEL, ...COMMON },
  examples: [["crier channel-groups create News -c @you -c @shop", "crier post --group News publishes on both."]],
  async run(args, shell) {
    const [name = ""] = args.positionals;
    const names = args.getAll("channel");
    if (names.length === 0) throw usage("--channel is missing.", "crier channels lists them");
    const client = await signedIn(args, shell);
    const workspaceChannels = await allChannels(client);
    const channels = names.map((channel) => findChannel(channel, workspaceChannels).id);
    const { body } = await client.call("channel-groups.create", { body: { name, channels } });
    if (args.has("json")) writeJson(shell.out, body);
    else shell.out.line(`Created ${oneLine(body.name)} (${body.id}) with ${count(body.channels.length, "channel")}.`);
    return 0;
  },
});

const change = command({
  name: "change",
  summary: "Rename a channel group, or replace its channels.",
  positionals: [GROUP],
  flags: {
    name: { type: "string", value: "NAME", description: "New name." },
    channel: { ...CHANNEL, description: "The group's channels from now on, in place of all earlier ones." },
    ...COMMON,
  },
  examples: [["crier channel-groups change News -c @you", "The group has this channel only."]],
  async run(args, shell) {
    const [named = ""] = args.positionals;
    const name = args.get("name");
    const names = args.getAll("channel");
    if (name === undefined && names.length === 0) throw usage("There is nothing to change.", "use --name or --channel");
    const client = await signedIn(args, shell);
    const { id } = findGroup(named, await allChannelGroups(client));
    const workspaceChannels = names.length === 0 ? [] : await allChannels(client);
    const channels = names.map((channel) => findChannel(channel, workspaceChannels).id);
    const { body } = await client.call("channel-groups.change", {
      params: { id },
      body: { ...(name === undefined ? {} : { name }), ...(channels.length === 0 ? {} : { channels }) },
    });
    if (args.has("json")) writeJson(shell.out, body);
    else shell.out.line(`Changed ${oneLine(body.name)} (${body.id}): ${count(body.channels.length, "channel")}.`);
    return 0;
  },
});

const remove = command({
  name: "delete",
  summary: "Delete a channel group. Its channels stay.",
  positionals: [GROUP],
  flags: COMMON,
  examples: [["crier channel-groups delete News", "Posts that were published with it stay as they are."]],
  async run(args, shell) {
    const [named = ""] = args.positionals;
    const client = await signedIn(args, shell);
    const { id, name } = findGroup(named, await allChannelGroups(client));
    await client.call("channel-groups.remove", { params: { id } });
    if (args.has("json")) writeJson(shell.out, { deleted: id });
    else shell.out.line(`Deleted ${oneLine(name)} (${id}).`);
    return 0;
  },
});

export const channelGroups = command({
  name: "channel-groups",
  summary: "List the groups of channels that --group accepts.",
  flags: COMMON,
  commands: [create, change, remove],
  examples: [
    ["crier channel-groups", "List the groups with their channels."],
    ["crier post 'Hello' --group News", "Publish on all channels of a group."],
  ],
  async run(args, shell) {
    const { out } = shell;
    const client = await signedIn(args, shell);
    const groups = await allChannelGroups(client);
    if (args.has("json")) writeJson(out, { channel_groups: groups, next: null });
    else if (groups.length === 0) {
      out.line("There are no channel groups. Create one: crier channel-groups create NAME -c CHANNEL");
    } else {
      const workspaceChannels = await allChannels(client);
      writeTable(out, groups, [
        { title: "name", of: ({ name }) => oneLine(name), least: 12 },
        {
          title: "channels",
          of: ({ channels }) => formatChannelNames(channels, workspaceChannels, "none left"),
          least: 12,
          folds: true,
        },
        { title: "id", of: ({ id }) => id },
      ]);
    }
    return 0;
  },
});
