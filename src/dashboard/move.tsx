// Moves a scheduled post or a draft to another time, with undo.
import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import type { Body } from "../client/client.ts";
import { describeError } from "./api.ts";
import { useSession } from "./session.tsx";
import type { Post } from "./types.ts";
import { Able, useClock } from "./ui/marks.tsx";
import { Refused } from "./ui/states.tsx";
import { useSay } from "./ui/toasts.tsx";

/** Moves a post to a time on the workspace's clock. Throws the service's refusal. */
export function useMove() {
  const { client, workspace } = useSession();
  const queries = useQueryClient();
  const clock = useClock();
  const say = useSay();
  /** A calendar list is long, so the post is replaced in it, and only other reads with posts are repeated. */
  const take = async (post: Post) => {
    const posts = [workspace.id, "posts"];
    const calendar = [...posts, "calendar"];
    queries.setQueriesData<Post[]>({ queryKey: calendar }, (cachedPosts) =>
      cachedPosts?.map((cachedPost) => (cachedPost.id === post.id ? post : cachedPost)),
    );
    // A read in progress may return the old post, and an inactive list may lack the new one.
    void queries.invalidateQueries({
      queryKey: calendar,
      predicate: (query) => query.state.fetchStatus === "fetching" || !query.isActive(),
    });
    await queries.invalidateQueries({ queryKey: posts, predicate: ({ queryKey }) => queryKey[2] !== "calendar" });
  };
  const patch = async (id: string, times: Times, rev: number) => {
    const answer = await client.call("posts.update", { params: { id }, body: times, rev });
    await take(answer.body);
    return answer.body;
  };
  return async (post: Post, publishAt: string, ownTimeOf: readonly string[] | null = null): Promise<void> => {
    const moved = await patch(post.id, moveTo(post, publishAt, ownTimeOf), post.rev);
    const at = ownTimeOf === null ? moved.publish_at : moved.overrides[ownTimeOf[0] ?? ""]?.publish_at;
    const when = typeof at === "string" ? clock.full(at) : "now";
    say(`Moved to ${when}`, () => {
      const { publish_at, overrides } = post;
      patch(post.id, ownTimeOf === null ? { publish_at } : { overrides }, moved.rev).then(
        () => say("Moved back"),
        (error: unknown) => say(describeError(error)),
      );
    });
  };
}

type Times = Pick<Body<"posts.update">, "publish_at" | "overrides">;

/** The change that moves a post, or the channels whose own time it is. */
function moveTo({ overrides }: Post, publishAt: string, ownTimeOf: readonly string[] | null): Times {
  if (ownTimeOf === null) return { publish_at: publishAt };
  const moved = ownTimeOf.map((channel) => [channel, { ...overrides[channel], publish_at: publishAt }] as const);
  return { overrides: { ...overrides, ...Object.fromEntries(moved) } };
}

/** What a member must be allowed to do to move a post; null: the post cannot be moved. */
export const getMoveAbility = ({ status }: Post): "publish" | "draft" | null =>
  status === "scheduled" ? "publish" : status === "draft" ? "draft" : null;

export function MoveTo({ post, onMoved }: { post: Post; onMoved?: () => void }) {
  const { whyNot } = useSession();
  const clock = useClock();
  const move = useMove();
  const [open, setOpen] = useState(false);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const ability = getMoveAbility(post);
  if (ability === null) return null;

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const publishAt = String(new FormData(event.currentTarget).get("at"));
    setBusy(true);
    setError(null);
    try {
      await move(post, publishAt);
      setOpen(false);
      onMoved?.();
    } catch (thrown) {
      setError(thrown);
    } finally {
      setBusy(false);
    }
  }

  if (!open) {
    return (
      <Able why={whyNot(ability)}>
        {(disabled) => (
          <button type="button" disabled={disabled} onClick={() => setOpen(true)}>
            Move to ...
          </button>
        )}
      </Able>
    );
  }
  return (
    <form className="stack tight" onSubmit={(event) => void submit(event)}>
      <label className="field">
        <span>Date and time</span>
        <input
          type="datetime-local"
          name="at"
          required
          // biome-ignore lint/a11y/noAutofocus: the user has just opened it.
          autoFocus
          defaultValue={post.publish_at_local?.slice(0, 16)}
        />
        <small>{clock.zone} time</small>
      </label>
      <Refused error={error} />
      <div className="row">
        <button type="submit" className="primary" disabled={busy}>
          Move
        </button>
        <button type="button" className="quiet" onClick={() => setOpen(false)}>
          Keep time
        </button>
      </div>
    </form>
  );
}
