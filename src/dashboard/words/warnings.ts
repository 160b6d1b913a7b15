// The sentence for each warning about a post.
import { networkName } from "../../domain/network-name.ts";
import type { DryRun } from "../types.ts";
import { count, formatNumber } from "./counts.ts";
import type { Clock } from "./dates.ts";

type Warning = DryRun["warnings"][number];
interface WarningContext {
  /** null if the warning is about the whole post. */
  platform: string | null;
  clock: Pick<Clock, "full">;
}

const ofPart = ({ part }: Warning) => (part === undefined ? "" : ` in part ${part + 1}`);

const SENTENCES: Record<Warning["code"], (warning: Warning, name: string, clock: WarningContext["clock"]) => string> = {
  possible_duplicate: () => "Another post has the same text and files.",
  token_expires_before_publish_at: ({ until }, name, clock) =>
    `${name} access expires ${until === undefined ? "before this goes out" : clock.full(until)}. Reconnect the account first.`,
  network_waits: ({ until }, name, clock) =>
    `${name} is limiting posts right now. This may go out ${until === undefined ? "later" : `after ${clock.full(until)}`}.`,
  version_ends_before_publish_at: (_, name) =>
    `${name} is changing before this goes out. Ask the person who runs this Crier to update it.`,
  near_text_limit: (warning, name) => {
    const { limit = 0, actual = 0 } = warning;
    return `${count(Math.max(0, limit - actual), "character")} left for ${name}${ofPart(warning)}.`;
  },
  alt_text_dropped: (warning, name) => `${name} doesn't show alt text${ofPart(warning)}.`,
  text_dropped: (_, name) => `${name} drafts come without text. Paste it in the app.`,
  link_price: (warning, name) =>
    `${name} charges $${formatNumber(warning.cost_usd ?? 0, 3)} for a post with a link${ofPart(warning)}.`,
  repeated_part: ({ part = 0, repeats = 0 }, name) =>
    `Part ${part + 1} repeats part ${repeats + 1}. ${name} rejects repeats, so the thread would stop there.`,
  identical_repeat: (_, name) =>
    `${name} may reject the same text when this post repeats. Add more texts to take turns.`,
  aspect_may_be_refused: (warning, name) =>
    `This image is taller than ${name} recommends${ofPart(warning)}. It's usually accepted; if not, nothing is posted.`,
};

/** The sentence for a warning. */
export function describeWarning(warning: Warning, { platform, clock }: WarningContext): string {
  const name = platform === null ? "The network" : networkName(platform);
  const describe = Object.hasOwn(SENTENCES, warning.code) ? SENTENCES[warning.code] : undefined;
  return describe?.(warning, name, clock) ?? "Check this post once more before you publish it.";
}
