// The times of two posts, exchanged by an edit of each: both, or neither.
import { Refusal } from "../../client/errors.ts";

export interface Timed {
  id: string;
  rev: number;
  publish_at: string | null;
}
/** The calls that it is made of. */
export interface Edits {
  /** Moves a post that is still at this revision; throws a `Refusal`, or anything else where nobody knows. */
  move(post: Timed, at: string | null): Promise<Timed>;
  read(id: string): Promise<Timed>;
}

/** One post has the other's time, and could not be taken back. */
export class HalfExchanged extends Error {
  override name = "HalfExchanged";
  /** The post that stands where it should not, as far as is known. */
  readonly post: Timed;
  /** Where it was. */
  readonly from: string | null;

  constructor(post: Timed, from: string | null, cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.post = post;
    this.from = from;
  }
}

/**
 * Exchanges the times of two posts, and gives both as they are then, in their order. The one that goes out sooner than before is moved
 * first: its new time is the one that can be refused. Throws why nothing was exchanged, or `HalfExchanged`.
 */
export async function exchange(edits: Edits, one: Timed, other: Timed): Promise<[Timed, Timed]> {
  const isLater = (one.publish_at ?? "") > (other.publish_at ?? "");
  const [first, second] = isLater ? [one, other] : [other, one];
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
 * Moves a post, also when the answer is lost: the same revision is moved once more, which is refused where the first time it was done,
 * and the post says at which time it stands.
 */
async function moveSurely(edits: Edits, post: Timed, at: string | null): Promise<Timed> {
  try {
    return await edits.move(post, at);
  } catch (error) {
    if (error instanceof Refusal) throw error;
  }
  try {
    return await edits.move(post, at);
  } catch (error) {
    const now = await edits.read(post.id);
    if (now.rev > post.rev && now.publish_at === at) return now;
    throw error;
  }
}
