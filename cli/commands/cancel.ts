import { allChannels } from "../channels.ts";
import { command } from "../command.ts";
import { writePost } from "../output/show-post.ts";
import { COMMON, signedIn, writeJson } from "../session.ts";

export const cancel = command({
  name: "cancel",
  summary: "Cancel a post that has not finished, or discard a draft.",
  details: "Deliveries that are already being sent are finished. The others are not sent.",
  positionals: [{ name: "post", description: "Id of the post.", required: true }],
  flags: {
    rev: { type: "string", value: "REV", description: "Cancel only if the post is still at this revision (`rev`)." },
    ...COMMON,
  },
  examples: [
    ["crier cancel post_01…", "Cancel it and print the result."],
    ["crier cancel post_01… --rev 3", "Fail if someone has changed it since."],
  ],
  async run(args, shell) {
    const { out, err } = shell;
    const client = await signedIn(args, shell);
    const [id = ""] = args.positionals;
    const { status, body } = await client.call("posts.remove", { params: { id }, rev: args.get("rev") });
    if (status === 204) err.line(`Discarded the draft ${id}.`);
    else if (args.has("json")) writeJson(out, body);
    else writePost(out, body, await allChannels(client), client.now());
    return 0;
  },
});
