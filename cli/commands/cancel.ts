import { allChannels } from "../channels.ts";
import { command } from "../command.ts";
import { writePost } from "../output/show-post.ts";
import { COMMON, signedIn, writeJson } from "../session.ts";

export const cancel = command({
  name: "cancel",
  summary: "Cancel a post that has not finished, or discard a draft.",
  details: "Deliveries that are being sent finish; the rest is not sent.",
  positionals: [{ name: "post", description: "The id of the post.", required: true }],
  flags: {
    rev: { type: "string", value: "REV", description: "Only at this revision: `rev` of the post as you know it." },
    ...COMMON,
  },
  examples: [
    ["crier cancel post_01…", "The post as it is afterwards."],
    ["crier cancel post_01… --rev 3", "Refused when somebody has changed it since."],
  ],
  async run(words, shell) {
    const { out, err } = shell;
    const client = await signedIn(words, shell);
    const [id = ""] = words.positionals;
    const { status, body } = await client.call("posts.remove", { params: { id }, rev: words.one("rev") });
    if (status === 204) err.line(`The draft ${id} is discarded.`);
    else if (words.on("json")) writeJson(out, body);
    else writePost(out, body, await allChannels(client), client.now());
    return 0;
  },
});
