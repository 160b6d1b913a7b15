// One act on the selected posts.
import { type BulkAnswer, changeInCalls } from "../../client/change-in-calls.ts";
import { isRefusalBody, Refusal } from "../../client/errors.ts";
import { describeError } from "../api.ts";
import { useAct } from "../reads.ts";
import type { Post } from "../types.ts";
import { getPostTitle } from "../ui/post-title.ts";

export type BulkAct =
  | { do: "move"; by_seconds: number }
  | { do: "move"; publish_at: string }
  | { do: "label"; labels: { add?: string[]; remove?: string[] } }
  | { do: "approve" }
  | { do: "delete" };

export interface BulkFailure {
  id: string;
  title: string;
  reason: string;
}
export interface BulkResult {
  /** How many posts were changed. */
  changed: number;
  failures: BulkFailure[];
}

function explain({ status, error }: BulkAnswer): string {
  const body: unknown = error === null ? null : { ...error, request_id: "" };
  return isRefusalBody(body) ? describeError(new Refusal(status, body)) : "This post couldn't be changed.";
}

export const useBulk = (posts: Post[]) =>
  useAct(
    async (client, act: BulkAct): Promise<BulkResult> => {
      const answers = await changeInCalls(
        posts.map(({ id, rev }) => ({ id, rev })),
        async (some) => (await client.call("posts.bulk", { body: { posts: some, ...act } })).body.posts,
      );
      return {
        changed: answers.filter(({ error }) => error === null).length,
        failures: answers.flatMap((answer) => {
          const post = posts.find(({ id }) => id === answer.id);
          return answer.error === null
            ? []
            : [{ id: answer.id, title: post === undefined ? "A post" : getPostTitle(post), reason: explain(answer) }];
        }),
      };
    },
    ["posts", "events"],
  );
