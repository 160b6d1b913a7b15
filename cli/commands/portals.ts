import { allPages } from "../api/client.ts";
import { allChannels, CHANNEL_FLAG, findChannel } from "../channels.ts";
import { command } from "../command.ts";
import { usage } from "../failure.ts";
import { relativeText } from "../output/format.ts";
import { writeTable } from "../output/table.ts";
import { oneLine } from "../output/terminal.ts";
import { COMMON, signedIn, writeJson } from "../session.ts";

const SHOWN_MAX = 1_000;
const DAY_SECONDS = 86_400;

const create = command({
  name: "create",
  summary: "Create a page on which a client approves posts.",
  details:
    "The address is printed once, on stdout, and cannot be shown again. Anyone with the address can decide on the posts awaiting " +
    "approval whose channels are all listed, or that have one of the labels.",
  positionals: [{ name: "name", description: "Title of the page.", required: true }],
  flags: {
    channel: {
      ...CHANNEL_FLAG,
      description: "Channels: ids, handles or platforms.",
    },
    label: { type: "string", short: "l", value: "LABEL", multiple: true, description: "Labels, in place of channels." },
    days: { type: "string", value: "DAYS", description: "Days until it ends, at most 90 (default 30)." },
    ...COMMON,
  },
  examples: [["crier portals create Northwind -c @northwind --days 14", "For two weeks."]],
  async run(args, shell) {
    const [name = ""] = args.positionals;
    const days = args.get("days");
    if (days !== undefined && !/^\d{1,3}$/.test(days)) throw usage("--days must be a number.");
    const client = await signedIn(args, shell);
    const names = args.getAll("channel");
    const known = names.length === 0 ? [] : await allChannels(client);
    const channels = names.length === 0 ? null : names.map((channel) => findChannel(channel, known).id);
    const labels = args.getAll("label").length === 0 ? null : args.getAll("label");
    const expires = days === undefined ? {} : { expires_in: Number(days) * DAY_SECONDS };
    const { body } = await client.call("portals.create", { body: { name, channels, labels, ...expires } });
    if (args.has("json")) writeJson(shell.out, body);
    else shell.out.line(body.url);
    shell.err.line(`Created ${oneLine(body.name)} (${body.id}). Save the address now: it cannot be shown again.`);
    return 0;
  },
});

const remove = command({
  name: "remove",
  summary: "Close a portal.",
  positionals: [{ name: "portal", description: "Id of the portal: ptl_01…", required: true }],
  flags: { ...COMMON },
  examples: [["crier portals remove ptl_01…", "Its address stops working."]],
  async run(args, shell) {
    const [id = ""] = args.positionals;
    const client = await signedIn(args, shell);
    await client.call("portals.remove", { params: { id } });
    if (args.has("json")) writeJson(shell.out, { removed: id });
    else shell.out.line(`Removed ${id}.`);
    return 0;
  },
});

export const portals = command({
  name: "portals",
  summary: "Manage the pages on which clients approve posts.",
  details: "Without a subcommand, lists the open portals.",
  flags: { ...COMMON },
  commands: [create, remove],
  examples: [["crier portals", "Every open portal, newest first."]],
  async run(args, shell) {
    const { out } = shell;
    const client = await signedIn(args, shell);
    const { items } = await allPages(async (cursor) => {
      const { body } = await client.call("portals.list", { query: { limit: "200", cursor } });
      return { items: body.portals, next: body.next };
    }, SHOWN_MAX);
    if (args.has("json")) {
      writeJson(out, { portals: items });
      return 0;
    }
    if (items.length === 0) {
      out.line("There are no portals. Create one: crier portals create NAME -c CHANNEL");
      return 0;
    }
    writeTable(out, items, [
      { title: "name", of: ({ name }) => oneLine(name), least: 12 },
      {
        title: "posts",
        of: ({ channels, labels }) =>
          channels === null
            ? (labels ?? []).map((label) => `#${oneLine(label)}`).join(" ")
            : `${channels.length} channels`,
        least: 10,
      },
      { title: "ends", of: ({ expires_at }) => relativeText(Date.parse(expires_at), client.now()) },
      { title: "open", of: ({ is_active }) => (is_active ? "yes" : "no") },
      { title: "id", of: ({ id }) => id },
    ]);
    return 0;
  },
});
