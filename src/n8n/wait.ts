// The operation that waits until every delivery of a post has finished.
import { type IExecuteFunctions, NodeOperationError, type Properties } from "n8n-workflow";
import type { Client } from "../client/client.ts";
import { finished, type Post } from "../client/pages.ts";
import { isFinished } from "../domain/posts/post.ts";
import { asNodeError } from "./errors.ts";
import { type ItemContext, readText, refuseInput } from "./inputs.ts";

const MINUTE_MS = 60_000;
/** A week, which is longer than any execution. */
const MINUTES_MAX = 10_080;

/** The post once it has finished. The time limit starts at `startedAt`, when the node started its first item. */
export async function waitForOutcome(
  context: IExecuteFunctions,
  client: Client,
  item: number,
  startedAt: number,
): Promise<Properties[]> {
  const itemContext = { context, item };
  const id = readPostId(itemContext);
  const minutes = readMinutes(itemContext);
  // At least one read, even if earlier items have used up the time.
  const { body: post } = await client.call("posts.get", { params: { id } });
  return [{ ...(isFinished(post.status) ? post : await outcome(post)) }];

  async function outcome({ status }: Post): Promise<Post> {
    const limit = AbortSignal.timeout(Math.max(0, startedAt + minutes * MINUTE_MS - Date.now()));
    const stopped = client.signal;
    try {
      return await finished(client, id, {
        signal: stopped === undefined ? limit : AbortSignal.any([stopped, limit]),
      });
    } catch (error) {
      if (!limit.aborted || stopped?.aborted === true) throw asNodeError(context.getNode(), error, item);
      throw new NodeOperationError(context.getNode(), `The post has not finished after ${minutes} minutes`, {
        description: `It was ${status} when the wait began. Publishing continues: wait again, or start a workflow with Crier Trigger.`,
        itemIndex: item,
      });
    }
  }
}

function readPostId(itemContext: ItemContext): string {
  const id = readText(itemContext, "Post ID", itemContext.context.getNodeParameter("postId", itemContext.item));
  if (id === undefined) throw refuseInput(itemContext, "Post ID is empty");
  return id;
}

function readMinutes(itemContext: ItemContext): number {
  const minutes = Number(
    readText(itemContext, "Limit in Minutes", itemContext.context.getNodeParameter("minutes", itemContext.item)),
  );
  if (minutes > 0 && minutes <= MINUTES_MAX) return minutes;
  throw refuseInput(itemContext, `The limit must be a number of minutes up to ${MINUTES_MAX}`);
}
