// Exchanges the times of two posts by editing each: both edits, or neither.
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

/** One post has the other's time, and could not be moved back. */
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
 * Exchanges the times of two posts, and returns both in their order. The post that moves to an earlier time goes first,
 * because only its new time can be refused. Throws the reason why nothing was exchanged, or `HalfExchanged`.
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
 * Moves a post even if an answer is lost. A repeat with the same revision is refused if the first move succeeded, and the
 * post itself then shows its time.
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
