// Writes posts of every kind directly into a database, and searches them in a simple way.
import fc from "fast-check";
import { buildLastId } from "../../src/domain/ids.ts";

/** The query of a list. */
export type Query = Record<string, string | undefined>;
const MINUTE = 60_000;
const NEVER = Number.MAX_SAFE_INTEGER;
export const CHANNELS = ["telegram", "telegram", "bluesky", "x"].map((platform, i) => ({
  platform,
  id: `ch_${String(i).padStart(26, "0")}`,
}));
const STORED = ["draft", "scheduled", "awaiting_approval", "published", "failed", "cancelled"] as const;
const LABELS = ["often", "seldom"];
const AUTHORS = ["usr_one", "usr_two"];
const WORDS = ["winter", "summer", "autumn"];
const MEDIA = ["med_00000000000000000000000001", "med_00000000000000000000000002"];

export interface PlantedPost {
  id: string;
  status: (typeof STORED)[number];
  /** Epoch milliseconds; null: a draft without a time. */
  due: number | null;
  word: string;
  channels: string[];
  labels: string[];
  author: string;
  media: string[];
}

/** A run of posts of one kind. It may be longer than the number of rows that one statement reads. */
interface Run extends Omit<PlantedPost, "id" | "due"> {
  length: number;
  /** The minutes from now until the posts are due. */
  dueInMinutes: number;
  hasTime: boolean;
}
const run: fc.Arbitrary<Run> = fc.record({
  length: fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 300, max: 900 })),
  status: fc.constantFrom(...STORED),
  // No post becomes due while a test runs.
  dueInMinutes: fc.oneof(fc.integer({ min: -40 * 1440, max: -30 }), fc.integer({ min: 30, max: 40 * 1440 })),
  hasTime: fc.boolean(),
  channels: fc.subarray(CHANNELS.map(({ id }) => id)),
  labels: fc.subarray(LABELS),
  author: fc.constantFrom(...AUTHORS),
  word: fc.constantFrom(...WORDS),
  media: fc.subarray(MEDIA),
});

/** Generates ten runs of random posts. `now` is in epoch milliseconds. */
export function randomPosts(seed: number, now: number): PlantedPost[] {
  const runs = fc.sample(run, { seed, numRuns: 10 });
  return runs
    .flatMap(({ length, dueInMinutes, hasTime, status, ...shared }) =>
      Array.from({ length }, (_, i) => {
        // A published post lies in the past.
        const minutes = status === "published" ? -Math.abs(dueInMinutes) : dueInMinutes;
        // Some posts share an instant.
        const due = now + minutes * MINUTE + Math.floor(i / 5) * 1_000;
        return { status, due: status === "draft" && !hasTime ? null : due, ...shared };
      }),
    )
    .map((post, i) => {
      // Each post was created before it was due, every second one right then. An id begins with the time of its creation.
      const madeAt = Math.min(post.due ?? now, now) - (i % 2) * ((i * 7919) % 20_000) * MINUTE;
      return { id: buildLastId("post", madeAt).replace("~", String(i).padStart(16, "0")), ...post };
    });
}

const anyInstant = (now: number) =>
  fc.integer({ min: -50, max: 50 }).map((days) => new Date(now + days * 1440 * MINUTE).toISOString());

/** Generates an order with up to three random filters. Some filters match no post. */
export function anyQuery(now: number): fc.Arbitrary<Query> {
  const filters = {
    status: fc.constantFrom(...STORED, "queued"),
    channel: fc.constantFrom(...CHANNELS.map(({ id }) => id), `ch_${"9".repeat(26)}`),
    platform: fc.constantFrom("telegram", "x"),
    label: fc.constantFrom(...LABELS),
    author: fc.constantFrom(...AUTHORS),
    media: fc.constantFrom(...MEDIA),
    q: fc.constantFrom(...WORDS, "nowhere"),
    from: anyInstant(now),
    to: anyInstant(now),
  };
  const names = fc.subarray(Object.keys(filters), { maxLength: 3 });
  return fc
    .record({ names, order: fc.constantFrom("newest", "due"), values: fc.record(filters) })
    .map(({ names, order, values }) => ({
      order,
      ...Object.fromEntries(Object.entries(values).filter(([name]) => names.includes(name))),
    }));
}

/** Returns the ids of the posts that match a query, in its order. `reach` limits the channels that the caller may see. */
export function search(posts: PlantedPost[], query: Query, now: number, reach: string[] | null = null): string[] {
  const { status, channel, platform, label, author, media, q, from, to, order } = query;
  const isShown = (post: PlantedPost) => {
    const visibleStatus = post.status === "scheduled" && (post.due ?? 0) <= now ? "queued" : post.status;
    const platforms = CHANNELS.filter(({ id }) => post.channels.includes(id)).map((channel) => channel.platform);
    return (
      (status === undefined ? visibleStatus !== "draft" : visibleStatus === status) &&
      (channel === undefined || post.channels.includes(channel)) &&
      (platform === undefined || platforms.includes(platform)) &&
      (label === undefined || post.labels.includes(label)) &&
      (author === undefined || post.author === author) &&
      (media === undefined || post.media.includes(media)) &&
      (q === undefined || post.word === q) &&
      (from === undefined || (post.due !== null && post.due >= Date.parse(from))) &&
      (to === undefined || (post.due !== null && post.due < Date.parse(to))) &&
      (reach === null || post.channels.every((id) => reach.includes(id)))
    );
  };
  const selectByAge = (a: PlantedPost, b: PlantedPost) => (a.id < b.id ? 1 : -1);
  const selectByDue = (a: PlantedPost, b: PlantedPost) => (a.due ?? NEVER) - (b.due ?? NEVER) || (a.id < b.id ? -1 : 1);
  return posts
    .filter(isShown)
    .sort(order === "due" ? selectByDue : selectByAge)
    .map(({ id }) => id);
}

/** Writes the posts and their channels into a database. */
export async function plantPosts(database: D1Database, workspace: string, posts: PlantedPost[]): Promise<void> {
  const channel = database.prepare(
    "INSERT INTO channels (workspace_id, id, platform, handle, lane, created_at, updated_at) VALUES (?, ?, ?, ?, 0, 1, 1)",
  );
  const rows = JSON.stringify(posts);
  await database.batch([
    ...CHANNELS.map(({ id, platform }, i) => channel.bind(workspace, id, platform, `h${i}`)),
    database
      .prepare(
        `INSERT INTO posts (workspace_id, id, status, text, media, channels, overrides, metadata, publish_at, due_at, timezone,
        created_at, updated_at, labels, words, author)
      SELECT ?1, value ->> 'id', value ->> 'status', value ->> 'word', value -> 'media', value -> 'channels', '{}', '{}',
        value ->> 'due', iif(value ->> 'status' = 'draft', NULL, value ->> 'due'), 'UTC', 1, 1, value -> 'labels',
        ' ' || (value ->> 'word') || ' ', json_object('kind', 'person', 'id', value ->> 'author', 'name', 'Ada')
      FROM json_each(?2)`,
      )
      .bind(workspace, rows),
    database
      .prepare(
        `INSERT INTO media_uses (workspace_id, media_id, post_id)
      SELECT ?1, used.value, post.value ->> 'id' FROM json_each(?2) AS post JOIN json_each(post.value, '$.media') AS used`,
      )
      .bind(workspace, rows),
  ]);
}
