import { allChannels, CHANNEL_FLAG, findChannel, spoken } from "../channels.ts";
import { command } from "../command.ts";
import { EXIT, Failure } from "../failure.ts";
import { writePost } from "../output/show-post.ts";
import { COMMON, signedIn, writeJson } from "../session.ts";
import { getExitCode, readWait, WAIT_FLAG, waitFor } from "../wait.ts";

export const retry = command({
  name: "retry",
  summary: "Send the failed deliveries of a post again.",
  details:
    "A delivery whose outcome is unknown may be live already. Look on the network first; if it is not there, retry with " +
    "--not-published.",
  positionals: [{ name: "post", description: "Id of the post.", required: true }],
  flags: {
    channel: {
      ...CHANNEL_FLAG,
      description: "Channel to retry: an id, a handle, a platform, or platform:handle. Default: all that failed.",
    },
    "not-published": { type: "boolean", description: "Confirm that you looked on the network and it is not there." },
    wait: WAIT_FLAG,
    ...COMMON,
  },
  examples: [
    ["crier retry post_01…", "Retry every delivery that failed."],
    ["crier retry post_01… -c @you --wait", "Retry one channel and wait for the outcome."],
  ],
  async run(args, shell) {
    const { out, err, signal } = shell;
    const waitMs = args.has("wait") ? readWait(args.get("wait")) : null;
    const client = await signedIn(args, shell);
    const [id = ""] = args.positionals;
    const [{ body: post }, channels] = await Promise.all([
      client.call("posts.get", { params: { id } }),
      allChannels(client),
    ]);
    const named = args.getAll("channel").map((name) => findChannel(name, channels).id);
    const failed = post.deliveries.filter(({ status }) => status === "failed").map(({ channel }) => channel);
    const retried = named.length === 0 ? failed : named;
    if (retried.length === 0)
      throw new Failure(EXIT.refused, "No delivery of this post has failed.", `crier status ${id}`);
    const body = args.has("not-published") ? { confirm_not_published: true } : {};
    for (const channel of retried) {
      await client.call("posts.retry-delivery", { params: { id, channel }, body });
      const name = channels.find((candidate) => candidate.id === channel);
      if (name !== undefined) err.line(`Retrying ${spoken(name)}.`);
    }
    const { body: now } = await client.call("posts.get", { params: { id } });
    const last = waitMs === null ? now : await waitFor(client, now, channels, { err, signal, waitMs });
    if (args.has("json")) writeJson(out, last);
    else writePost(out, last, channels, client.now());
    return waitMs === null ? EXIT.done : getExitCode(last);
  },
});
