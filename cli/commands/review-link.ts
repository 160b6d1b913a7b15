import { command } from "../command.ts";
import { COMMON, signedIn, writeJson } from "../session.ts";

export const reviewLink = command({
  name: "review-link",
  summary: "Create a link that lets someone without an account approve a post.",
  details:
    "Anyone with the link sees the post as each channel would publish it and can approve or decline it once. The link is for the " +
    "current revision, lasts seven days, and replaces the post's earlier link.",
  positionals: [{ name: "post", description: "Id of a post that is awaiting approval.", required: true }],
  flags: { end: { type: "boolean", description: "Revoke the post's link." }, ...COMMON },
  examples: [
    ["crier review-link post_01…", "Send the address to the person who decides."],
    ["crier review-link post_01… --end", "The link stops working."],
  ],
  async run(args, shell) {
    const [id = ""] = args.positionals;
    const client = await signedIn(args, shell);
    if (args.has("end")) {
      await client.call("posts.end-review-link", { params: { id } });
      if (args.has("json")) writeJson(shell.out, { ended: id });
      else shell.out.line(`Revoked: ${id} has no review link.`);
      return 0;
    }
    const { body } = await client.call("posts.create-review-link", { params: { id } });
    if (args.has("json")) writeJson(shell.out, body);
    else {
      shell.out.line(body.url);
      shell.err.line(`Valid until ${body.expires_at}. The link cannot be shown again.`);
    }
    return 0;
  },
});
