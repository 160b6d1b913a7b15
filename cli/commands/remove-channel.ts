import { allChannels, findChannel, spoken } from "../channels.ts";
import { command } from "../command.ts";
import { COMMON, signedIn, writeJson } from "../session.ts";

export const removeChannel = command({
  name: "remove",
  summary: "Disconnect a channel and erase its credential.",
  details:
    "Posts that are still queued for it fail when they are due, unless the same account is connected again before. Its " +
    "published posts stay.",
  positionals: [
    { name: "channel", description: "Channel: an id, a handle, a platform, or platform:handle.", required: true },
  ],
  flags: COMMON,
  examples: [["crier channels remove @you", "crier channels connect connects it again."]],
  async run(args, shell) {
    const [name = ""] = args.positionals;
    const client = await signedIn(args, shell);
    const channel = findChannel(name, await allChannels(client));
    await client.call("channels.disconnect", { params: { id: channel.id } });
    if (args.has("json")) writeJson(shell.out, { disconnected: channel.id });
    else shell.out.line(`Disconnected ${spoken(channel)}.`);
    return 0;
  },
});
