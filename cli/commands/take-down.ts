import type { Answer } from "../api/client.ts";
import { allChannels, findChannel, spoken } from "../channels.ts";
import { command } from "../command.ts";
import { usage } from "../failure.ts";
import { COMMON, signedIn, warn, writeJson } from "../session.ts";

export const takeDown = command({
  name: "take-down",
  summary: "Remove a published post from a network.",
  details:
    "This cannot be undone. The post stays on other channels. crier platforms PLATFORM shows whether a network allows it.",
  positionals: [{ name: "post", description: "Id of the post.", required: true }],
  flags: {
    channel: {
      type: "string",
      value: "CHANNEL",
      multiple: true,
      description: "Channel to remove it from: an id, a handle, a platform, or platform:handle. May be repeated.",
    },
    ...COMMON,
  },
  examples: [["crier take-down post_01… --channel HANDLE", "Remove it from one channel only."]],
  async run(args, shell) {
    const { out, err } = shell;
    const names = args.getAll("channel");
    if (names.length === 0) throw usage("--channel is missing.", "crier status POST lists the channels of a post");
    const client = await signedIn(args, shell);
    const channels = await allChannels(client);
    const namedChannels = names.map((name) => findChannel(name, channels));
    const [id = ""] = args.positionals;
    const deliveries: Answer<"posts.take-down">[] = [];
    for (const channel of namedChannels) {
      const { body } = await client.call("posts.take-down", { params: { id, channel: channel.id } });
      deliveries.push(body);
      if (args.has("json")) continue;
      if (body.status === "removed") out.line(`Taken down: ${spoken(channel)}.`);
      else warn(err, `${spoken(channel)} has not confirmed the removal yet: crier status ${id}`);
    }
    if (args.has("json")) writeJson(out, { deliveries });
    return 0;
  },
});
