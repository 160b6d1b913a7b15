import { command } from "../command.ts";
import { COMMON, signedIn, writeJson } from "../session.ts";

export const reviewLink = command({
  name: "review-link",
  summary: "Make a link by which somebody without an account approves a post.",
  details:
    "Anybody who has the link sees the post as each channel would publish it, and approves or declines once. It is for the revision " +
    "that stands now, lasts seven days, and takes the place of the post's earlier link.",
  positionals: [{ name: "post", description: "The id of the post, which waits.", required: true }],
  flags: { end: { type: "boolean", description: "End the link that the post has." }, ...COMMON },
  examples: [
    ["crier review-link post_01…", "Send the address to the one person who decides."],
    ["crier review-link post_01… --end", "The link works no more."],
  ],
  async run(words, shell) {
    const [id = ""] = words.positionals;
    const client = await signedIn(words, shell);
    if (words.on("end")) {
      await client.call("posts.end-review-link", { params: { id } });
      if (words.on("json")) writeJson(shell.out, { ended: id });
      else shell.out.line(`Ended: ${id} has no link.`);
      return 0;
    }
    const { body } = await client.call("posts.create-review-link", { params: { id } });
    if (words.on("json")) writeJson(shell.out, body);
    else {
      shell.out.line(body.url);
      shell.err.line(`Until ${body.expires_at}. It is shown only now.`);
    }
    return 0;
  },
});
