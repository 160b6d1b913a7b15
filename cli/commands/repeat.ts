import { describeRepeat, readWeekday } from "../../src/domain/posts/describe-repeat.ts";
import { command } from "../command.ts";
import { timeText } from "../output/show-post.ts";
import { COMMON, signedIn, writeJson } from "../session.ts";

export const repeat = command({
  name: "repeat",
  summary: "Show how a post repeats, or stop it.",
  details:
    "Takes any post of the series. After --stop no further post is made; a post that is already scheduled keeps its time, " +
    "and crier cancel cancels it.",
  positionals: [{ name: "post", description: "Id of the post.", required: true }],
  flags: { stop: { type: "boolean", description: "Stop the repeat." }, ...COMMON },
  examples: [
    ["crier repeat post_01…", "Show when the next post is due."],
    ["crier repeat post_01… --stop", "Make no further post."],
  ],
  async run(args, shell) {
    const { out } = shell;
    const client = await signedIn(args, shell);
    const [id = ""] = args.positionals;
    const { body } = args.has("stop")
      ? await client.call("posts.stop-repeat", { params: { id } })
      : await client.call("posts.get", { params: { id } });
    if (args.has("json")) {
      writeJson(out, body);
      return 0;
    }
    const { repeat: rule, repeat_status: status, timezone } = body;
    if (rule === null || status === null) {
      out.line(`${id} does not repeat.`);
      return 0;
    }
    const words = describeRepeat(rule, readWeekday(body.publish_at_local), (until) => until.slice(0, 10));
    out.line(`${id} repeats ${words}: ${status.state}.`);
    if (status.next_at !== null) out.line(`The next post is due ${timeText(status.next_at, timezone, client.now())}.`);
    if (status.problem !== null) out.line(`It could not go on as it was: ${status.problem}.`);
    return 0;
  },
});
