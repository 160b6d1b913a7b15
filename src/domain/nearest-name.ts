// Guesses the known name that a caller meant by an unknown one.

/** Other services' names for our fields; the first one that the call knows is meant. */
const SYNONYMS: Record<string, string[]> = {
  publish_at: [
    ...["scheduled_at", "schedule_at", "schedule", "scheduled_for", "scheduled_time", "schedule_date", "schedule_time"],
    ...["post_at", "send_at", "run_at", "due_at", "publish_date", "publish_time", "published_at", "publish_on"],
    ...["at", "when", "date", "time", "datetime", "timestamp"],
  ],
  text: ["content", "message", "body", "caption", "status", "copy", "post", "description", "title", "tweet"],
  channels: [
    ...["channel", "channel_id", "channel_ids", "account", "accounts", "account_ids", "profile", "profiles"],
    ...[
      "profile_ids",
      "social_accounts",
      "platform",
      "platforms",
      "network",
      "networks",
      "destinations",
      "targets",
      "to",
    ],
  ],
  media: [
    ...[
      "media_id",
      "media_ids",
      "medias",
      "image",
      "images",
      "photo",
      "photos",
      "picture",
      "pictures",
      "video",
      "videos",
    ],
    ...["file", "files", "attachment", "attachments", "media_url", "media_urls", "assets"],
  ],
  overrides: ["override", "per_channel", "channel_overrides", "platform_overrides", "customizations", "options"],
  post_type: ["type", "format", "placement"],
  dry_run: ["dryrun", "test", "preview", "validate", "validate_only", "simulate"],
  draft: ["is_draft", "save_as_draft"],
  metadata: ["meta", "custom_fields", "properties", "labels", "tags"],
  alt: ["alt_text", "description", "caption"],
  content_type: ["mime_type", "mimetype", "type", "media_type", "file_type"],
  bytes: ["size", "length", "content_length", "file_size"],
  url: ["uri", "link", "href", "endpoint", "callback", "callback_url", "target_url", "webhook_url"],
  events: ["event", "event_types", "topics", "types"],
  platform: ["network", "provider", "service", "type"],
  handle: ["username", "user_name", "account", "screen_name", "user"],
  credentials: ["credential", "auth", "secrets"],
  timezone: ["tz", "time_zone", "zone"],
  email: ["mail", "e_mail", "username", "login", "user"],
  password: ["pass", "passwd", "pwd"],
  name: ["title", "label", "display_name", "full_name"],
};

/** How many single-letter changes still count as a slip: one in four letters, three at most. */
const SLIPS_MAX = 3;

/** The name of `known` that `name` most likely means; null if no name is close. */
export function nearestName(name: string, knownNames: readonly string[]): string | null {
  const plain = plainly(name);
  const exactMatch = knownNames.find((candidate) => plainly(candidate) === plain);
  if (exactMatch !== undefined) return exactMatch;
  const synonym = knownNames.find((candidate) => SYNONYMS[candidate]?.some((alias) => plainly(alias) === plain));
  if (synonym !== undefined) return synonym;
  const near = knownNames
    .map((candidate) => ({ one: candidate, slips: distance(plain, plainly(candidate)) }))
    .filter(({ one, slips }) => slips <= Math.min(SLIPS_MAX, Math.ceil(Math.max(plain.length, one.length) / 4)))
    .sort((a, b) => a.slips - b.slips);
  return near[0]?.one ?? null;
}

/** The hint about a name that a call does not know. */
export function hintOfUnknown(name: string, knownNames: readonly string[]): string {
  const near = nearestName(name, knownNames);
  if (near !== null) return `Did you mean \`${near}\`?`;
  return knownNames.length === 0
    ? "Leave it out."
    : `Allowed names: ${knownNames.map((one) => `\`${one}\``).join(", ")}.`;
}

/** Treats `publishAt`, `publish-at` and `Publish_At` as one name. */
const plainly = (name: string) =>
  name
    .slice(0, 100)
    .toLowerCase()
    .replace(/[-_\s]/g, "");

/** The number of letters to insert, drop, change or swap with the next to turn one text into the other. */
function distance(a: string, b: string): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const now = [row];
    for (let column = 1; column <= b.length; column++) {
      const isSame = a[row - 1] === b[column - 1];
      const cost = (list: number[], index: number) => list[index] ?? Number.POSITIVE_INFINITY;
      const swapped = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1] && row > 1 && column > 1;
      now[column] = Math.min(
        cost(last, column) + 1,
        cost(now, column - 1) + 1,
        cost(last, column - 1) + (isSame ? 0 : 1),
        swapped ? cost(before, column - 2) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    before = last;
    last = now;
  }
  return last[b.length] ?? 0;
}
