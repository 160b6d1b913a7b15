// Stores posts, records them in the ledger, and shows them as the API does.
import type { Ledger } from "../ledger.ts";
import { findMarks } from "../marks.ts";
import type { World } from "../simulator.ts";
import type { State } from "../state.ts";
import type { Post } from "./post-rules.ts";
import { ApiError, invalid } from "./problem.ts";
import type { Uploads } from "./uploads.ts";

const DAY_MS = 86_400_000;

interface Kept {
  post: Post;
  /** The member who owns the token. */
  account: string;
  handle: string;
  createdAt: number;
  /** The properties that a duplicate shares. */
  likeness: string;
  removed: boolean;
}

export class Posts {
  readonly #posts: Map<string, Kept>;
  readonly #ledger: Ledger;
  readonly #state: State;
  readonly #uploads: Uploads;

  constructor({ ledger, state }: World, uploads: Uploads) {
    this.#posts = state.map("linkedin.posts");
    this.#ledger = ledger;
    this.#state = state;
    this.#uploads = uploads;
  }

  #nextId(): bigint {
    return this.#state.next("linkedin", 7_400_000_000_000_000_000n);
  }

  find(id: string): Kept | undefined {
    return this.#posts.get(id);
  }

  /** The post that an address names. */
  get(id = ""): { id: string; kept: Kept } {
    const storedPost = this.find(id);
    if (storedPost === undefined) throw new ApiError(404, "NOT_FOUND", `Could not find entity ${id}`);
    return { id, kept: storedPost };
  }

  /** The posts of an author that are not removed, newest first. */
  of(author: string): object[] {
    return [...this.#posts]
      .filter(([, { post, removed }]) => post.author === author && !removed)
      .map(([id, storedPost]) => shown(id, storedPost))
      .reverse();
  }

  /** Returns the id. `account`: the member who owns the token; `handle`: the member or page that publishes the post. */
  publish(post: Post, account: string, handle: string): string {
    const { author, shown, media, article, visibility, noReshare, content, title, parent, poll } = post;
    if (parent !== null) this.#refuseParent(parent);
    const likeness = JSON.stringify([author, shown.text, media.map(({ sha256 }) => sha256), article, parent, poll]);
    const now = Date.now();
    // A deleted post also counts as a duplicate for a while.
    const duplicate = [...this.#posts].find(
      ([, storedPost]) => storedPost.likeness === likeness && storedPost.createdAt > now - DAY_MS,
    )?.[0];
    if (duplicate !== undefined) throw invalid("/", `Content is a duplicate of ${duplicate}`, "DUPLICATE_POST", 422);
    const id = `urn:li:${content !== null && media[0]?.type === "video/mp4" ? "ugcPost" : "share"}:${this.#nextId()}`;
    this.#posts.set(id, { post, account, handle, createdAt: now, likeness, removed: false });
    this.#ledger.accept({
      platform: "linkedin",
      account: handle,
      id,
      text: shown.text,
      media,
      token: null,
      url: `https://www.linkedin.com/feed/update/${id}/`,
      detail: {
        ...{ author, visibility, noReshare, title, article, shape: Object.keys(content ?? {})[0] ?? null },
        ...(parent === null ? {} : { reshare_of: parent }),
        ...(poll === null ? {} : { poll }),
        ...this.#uploads.besideVideo(Object(content).media),
      },
      shown: {
        marks: [...shown.marks, ...findMarks(shown.text, ["links"])],
        card: article === null ? null : { ...toCard(article), thumbSha256: media[0]?.sha256 ?? null },
      },
    });
    return id;
  }

  /** Refuses to share a post again that was deleted, or whose author switched that off. Others' posts are taken as they are. */
  #refuseParent(parent: string): void {
    const original = this.find(parent);
    const field = "/reshareContext/parent";
    if (original?.removed === true) throw invalid(field, `${parent} does not exist`, "INVALID_VALUE_FOR_FIELD", 422);
    if (original?.post.noReshare === true)
      throw invalid(field, `${parent} cannot be reshared`, "INVALID_VALUE_FOR_FIELD", 422);
  }

  /** Returns the id of a new comment on a post. */
  comment(on: string, handle: string, text: string): string {
    const id = String(this.#nextId());
    this.#ledger.accept({
      platform: "linkedin",
      account: handle,
      id: `urn:li:comment:(${on},${id})`,
      text,
      media: [],
      token: null,
      url: null,
      detail: { comment_on: on },
      shown: { marks: [], card: null },
    });
    return id;
  }

  /** Replaces the text of a post. */
  edit(id: string, shownText: Post["shown"]): void {
    const storedPost = this.find(id);
    if (storedPost === undefined) return;
    storedPost.post = { ...storedPost.post, shown: shownText };
    const marks = [...shownText.marks, ...findMarks(shownText.text, ["links"])];
    this.#ledger.edit("linkedin", id, shownText.text, marks);
  }

  remove(id: string): void {
    const storedPost = this.find(id);
    const entry = this.#ledger.find("linkedin", id);
    if (storedPost !== undefined) storedPost.removed = true;
    if (entry !== undefined) entry.deleted = true;
  }

  /** Forgets the posts of a member; without one, all posts. */
  forget(account: string | undefined): void {
    for (const [id, storedPost] of this.#posts)
      if (account === undefined || storedPost.account === account) this.#posts.delete(id);
  }
}

const toCard = ({ source, title, description }: NonNullable<Post["article"]>) => ({ uri: source, title, description });

export function shown(id: string, { post, createdAt }: Kept) {
  const { author, shown, visibility, content, parent } = post;
  return {
    id,
    author,
    commentary: shown.stored,
    visibility,
    lifecycleState: "PUBLISHED",
    createdAt,
    publishedAt: createdAt,
    lastModifiedAt: createdAt,
    ...(content === null ? {} : { content }),
    ...(parent === null ? {} : { reshareContext: { parent, root: parent } }),
  };
}
