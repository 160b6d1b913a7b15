import { allChannels, findChannel, spoken } from "../channels.ts";
import { command } from "../command.ts";
import { usage } from "../failure.ts";
import { readText } from "../read-text.ts";
import { COMMON, signedIn, warn, writeJson } from "../session.ts";

export const editLive = command({
  name: "edit-live",
  summary: "Change the text of a published post on a network.",
  details:
    "The post keeps its place, its files and its reactions. crier platforms PLATFORM shows whether a network allows it. " +
    "Other channels keep their text.",
  positionals: [
    { name: "post", description: "Id of the post.", required: true },
    { name: "text", description: "The whole new text, in quotes. `-` reads it from stdin." },
  ],
  flags: {
    channel: {
      type: "string",
      value: "CHANNEL",
      description: "Channel to edit it on: an id, a handle, a platform, or platform:handle.",
    },
    "text-file": { type: "string", value: "FILE", description: "Read the text from a file." },
    ...COMMON,
  },
  examples: [['crier edit-live post_01… "Doors open at 7 pm" --channel HANDLE', "Fix a time on one channel."]],
  async run(args, shell) {
    const { out, err } = shell;
    const name = args.get("channel");
    if (name === undefined) throw usage("--channel is missing.", "crier status POST lists the channels of a post");
    const [id = "", words] = args.positionals;
    const text = await readText(words, args.get("text-file"), shell);
    if (text === undefined) throw usage("The text is missing.", 'crier edit-live POST "New text" --channel CHANNEL');
    const client = await signedIn(args, shell);
    const channel = findChannel(name, await allChannels(client));
    const { status, body } = await client.call("posts.edit-live-text", {
      params: { id, channel: channel.id },
      body: { text },
    });
    if (args.has("json")) writeJson(out, body);
    else if (status === 202) warn(err, `${spoken(channel)} has not confirmed the edit yet: crier status ${id}`);
    else out.line(`Edited: ${spoken(channel)}.`);
    return 0;
  },
});
