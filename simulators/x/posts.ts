// The posts: stored, in the ledger, and as the API returns them.
import twitterText from "twitter-text";
import type { Ledger, LedgerMedia } from "../ledger.ts";
import type { ShownPoll } from "../poll.ts";
import type { World } from "../simulator.ts";
import type { State } from "../state.ts";
import { TEXT_MAX } from "./post-rules.ts";

/** How long an exact repeat is refused: about a day, according to one report. */
const DUPLICATE_MS = 24 * 3_600_000;

interface Kept {
  id: string;
  account: string;
  text: string;
  media: LedgerMedia[];
  mediaIds: string[];
  at: number;
  title: string | null;
  poll: ShownPoll | null;
}

export class Posts {
  readonly #posts: Map<string, Kept>;
  readonly #ledger: Ledger;
  readonly #state: State;

  constructor({ ledger, state }: World) {
    this.#posts = state.map("x.posts");
    this.#ledger = ledger;
    this.#state = state;
  }

  nextId(): string {
    return String(this.#state.next("x.posts", 1_990_000_000_000_000_000n));
  }

  find(id: string): Kept | undefined {
    return this.#posts.get(id);
  }

  /** The posts of an account since `since`, newest first. */
  of(account: string, since: number): Kept[] {
    return [...this.#posts.values()]
      .filter((storedPost) => storedPost.account === account && storedPost.at >= since)
      .reverse();
  }

  /** Whether the account has recently published the same text with the same files. */
  hasRepeatOf(post: Pick<Kept, "account" | "text" | "media">): boolean {
    const shape = (candidate: Pick<Kept, "text" | "media">) =>
      `${candidate.text} ${candidate.media.map(({ sha256 }) => sha256).join()}`;
    return [...this.#posts.values()].some(
      (storedPost) =>
        storedPost.account === post.account &&
        shape(storedPost) === shape(post) &&
        storedPost.at > Date.now() - DUPLICATE_MS,
    );
  }

  publish(post: Omit<Kept, "id" | "at">, detail: Record<string, unknown>, facts: Record<string, string> = {}): Kept {
    const whole = { ...post, id: this.nextId(), at: Date.now() };
    this.#posts.set(whole.id, whole);
    this.#ledger.accept({
      platform: "x",
      account: `@${post.account}`,
      id: whole.id,
      text: post.text,
      media: post.media,
      token: null,
      url: `https://x.com/${post.account}/status/${whole.id}`,
      detail,
      shown: {
        marks: twitterText.extractEntitiesWithIndices(post.text).map(({ indices: [start, end] }) => ({ start, end })),
        card: null,
        ...(Object.keys(facts).length > 0 && { facts }),
      },
    });
    return whole;
  }

  remove(id: string): boolean {
    return this.#posts.delete(id);
  }

  /** Forgets the posts of an account, or all posts if no account is given. */
  forget(account: string | undefined): void {
    for (const [id, storedPost] of this.#posts)
      if (account === undefined || storedPost.account === account) this.#posts.delete(id);
  }
}

/** The media keys or the poll of a post, if they are requested. A media key is the kind and the id of a file. */
export function attached({ id, media, mediaIds, poll }: Kept, fields: string[]) {
  if (fields.includes("attachments") && poll !== null) return { attachments: { poll_ids: [id] } };
  if (!fields.includes("attachments") || mediaIds.length === 0) return {};
  const toMediaKind = (type = "") => (type.startsWith("video/") ? 7 : type === "image/gif" ? 16 : 3);
  return { attachments: { media_keys: mediaIds.map((id, i) => `${toMediaKind(media[i]?.type)}_${id}`) } };
}

/** A post as the API returns it: links are shortened, and the files have a shared link at the end. */
export function shown({ id, text, media, at, title }: Kept, fields: string[]) {
  const urls = twitterText.extractUrlsWithIndices(text).map(({ url, indices }, i) => ({
    start: indices[0],
    end: indices[1],
    url: `https://t.co/${id.slice(-6)}${i}`,
    expanded_url: /^https?:/i.test(url) ? url : `http://${url}`,
  }));
  let short = text;
  for (const { start, end, url } of urls.toReversed()) short = short.slice(0, start) + url + short.slice(end);
  const mediaEntity = {
    start: 0,
    end: 0,
    url: `https://t.co/${id.slice(-6)}m`,
    expanded_url: `https://x.com/i/status/${id}/photo/1`,
    media_key: "3_1",
  };
  const whole = short.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  const added = media.length > 0 ? ` ${mediaEntity.url}` : "";
  const note = fields.find((field) => field.startsWith("note_"));
  // A long post is cut in `text`; the whole text is in a field of its own, which must be requested.
  const isLong = twitterText.parseTweet(text).weightedLength > TEXT_MAX;
  return {
    id,
    text: isLong ? `${whole.slice(0, TEXT_MAX - 10)}… https://t.co/${id.slice(-6)}n${added}` : `${whole}${added}`,
    ...(isLong && note !== undefined && { [note]: { text: whole, entities: { urls } } }),
    ...(fields.includes("created_at") && { created_at: new Date(at).toISOString() }),
    ...(fields.includes("entities") && { entities: { urls: media.length > 0 ? [...urls, mediaEntity] : urls } }),
    ...(fields.includes("article") && title !== null && { article: { title } }),
  };
}
