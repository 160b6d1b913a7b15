import { allPages } from "../api/client.ts";
import { command } from "../command.ts";
import { writeTable } from "../output/table.ts";
import { oneLine } from "../output/terminal.ts";
import { COMMON, signedIn, writeJson } from "../session.ts";

export const labels = command({
  name: "labels",
  summary: "List the labels of the workspace's posts.",
  flags: COMMON,
  examples: [["crier labels", "List labels with their number of posts."]],
  async run(args, shell) {
    const { out } = shell;
    const client = await signedIn(args, shell);
    const { items, more } = await allPages(async (cursor) => {
      const { body } = await client.call("posts.labels", { query: { limit: "200", cursor } });
      return { items: body.labels, next: body.next };
    });
    if (args.has("json")) writeJson(out, { labels: items, more });
    else if (items.length === 0) out.line("No post has a label.");
    else {
      writeTable(out, items, [
        { title: "label", of: ({ name }) => oneLine(name) },
        { title: "posts", of: ({ posts }) => `${posts}`, align: "right" },
      ]);
    }
    return 0;
  },
});
