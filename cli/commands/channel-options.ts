import type { Answer } from "../api/client.ts";
import { allChannels, findChannel } from "../channels.ts";
import { command } from "../command.ts";
import { writeTable } from "../output/table.ts";
import { oneLine } from "../output/terminal.ts";
import { COMMON, signedIn, writeJson } from "../session.ts";

type Option = Answer<"channels.options">["options"][number];
const PAGE = "200";

export const channelOptions = command({
  name: "options",
  summary: "List the values that a network offers for an option.",
  details: "crier platforms PLATFORM marks the options that have a list.",
  positionals: [
    { name: "channel", description: "An id, a handle, a platform, or platform:handle.", required: true },
    { name: "option", description: "Name of the option.", required: true },
  ],
  flags: {
    find: { type: "string", value: "WORDS", description: "Filter by words." },
    board: { type: "string", value: "BOARD", description: "Board id, for lists that depend on a board." },
    refresh: {
      type: "boolean",
      description: "Ask the network again instead of using the answer of the last five minutes.",
    },
    ...COMMON,
  },
  examples: [["crier channels options CHANNEL board", "List boards with the ids for --set CHANNEL.board=ID."]],
  async run(args, shell) {
    const { out } = shell;
    const client = await signedIn(args, shell);
    const [name = "", option = ""] = args.positionals;
    const { id } = findChannel(name, await allChannels(client));
    const [q, board] = [args.get("find"), args.get("board")];
    const options: Option[] = [];
    let cursor: string | undefined;
    let fetched_at: string;
    do {
      // Only the first page requests a refresh: the others belong to the same list.
      const refresh = args.has("refresh") && cursor === undefined ? "true" : undefined;
      const query = { q, board, refresh, cursor, limit: PAGE };
      const { body } = await client.call("channels.options", { params: { id, option }, query });
      options.push(...body.options);
      cursor = body.next ?? undefined;
      fetched_at = body.fetched_at;
    } while (cursor !== undefined);
    if (args.has("json")) writeJson(out, { options, next: null, fetched_at });
    else if (options.length === 0) out.line("The network offers no values for this option.");
    else
      writeTable(out, options, [
        { title: "value", of: ({ value }) => oneLine(value) },
        { title: "name", of: ({ label }) => oneLine(label), least: 12 },
        {
          title: "",
          of: ({ disabled_reason, description }) => oneLine(disabled_reason ?? description ?? ""),
          least: 16,
        },
      ]);
    return 0;
  },
});
