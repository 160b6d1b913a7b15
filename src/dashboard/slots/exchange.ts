// Exchanges the times of two posts with two edits. If the second edit fails, the first edit is undone.
import { Refusal } from "../../client/errors.ts";

export interface Timed {
  id: string;
  rev: number;
  publish_at: string | null;
}
/** The calls that an exchange makes. */
export interface Edits {
  /** Moves a post that is still at this revision. Throws a `Refusal`, or another error if the outcome is unknown. */
  move(post: Timed, publishAt: string | null): Promise<Timed>;
  read(id: string): Promise<Timed>;
}

/** Thrown if one post has moved to the other post's time and could not be moved back. */
export class HalfExchanged extends Error {
  override name = "HalfExchanged";
  /** The post at the wrong time, as far as is known. */
  readonly post: Timed;
  /** Its original time. */
  readonly from: string | null;

  constructor(post: Timed, from: string | null, cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.post = post;
    this.from = from;
  }
}

/**
 * Exchanges the times of two posts, and returns both in the order of the arguments. The post that moves to an earlier time is
 * moved first, because only an earlier time can be refused. Throws the error that prevented the exchange, or `HalfExchanged`.
 */
export async function exchange(edits: Edits, post: Timed, otherPost: Timed): Promise<[Timed, Timed]> {
  const isLater = (post.publish_at ?? "") > (otherPost.publish_at ?? "");
  const [first, second] = isLater ? [post, otherPost] : [otherPost, post];
  const moved = await moveSurely(edits, first, second.publish_at);
  try {
    const also = await moveSurely(edits, second, first.publish_at);
    return isLater ? [moved, also] : [also, moved];
  } catch (error) {
    await moveSurely(edits, moved, first.publish_at).catch((cause: unknown) => {
      throw new HalfExchanged(moved, first.publish_at, cause);
    });
    throw error;
  }
}

/**
 * Moves a post, even if an answer is lost. A lost call is repeated with the same revision. The repeat is refused if the first
 * call succeeded; the post is then read, and it shows the new time.
 */
async function moveSurely(edits: Edits, post: Timed, publishAt: string | null): Promise<Timed> {
  try {
    return await edits.move(post, publishAt);
  } catch (error) {
    if (error instanceof Refusal) throw error;
  }
  try {
    return await edits.move(post, publishAt);
  } catch (error) {
    const now = await edits.read(post.id);
    if (now.rev > post.rev && now.publish_at === publishAt) return now;
    throw error;
  }
}
