// Keys that stay the same when an execution is retried, so that no item is posted twice.
import type { IExecuteFunctions } from "n8n-workflow";
import { isObject } from "../domain/json.ts";

/**
 * The idempotency key of an item: unique for each item of each run of a node in an execution. A node that n8n retries keeps
 * its execution; a retried execution has a new id but keeps the context of the first.
 */
export async function getIdempotencyKey(context: IExecuteFunctions, item: number): Promise<string> {
  const nodeContext = context.getContext("node");
  // Without an execution id, a random id works as long as the context lasts.
  nodeContext.execution ??= context.getExecutionId() ?? crypto.randomUUID();
  const { $runIndex: run } = context.getWorkflowDataProxy(item);
  const parts = [context.getInstanceId(), nodeContext.execution, context.getNode().id, run, item];
  return `n8n-${await digest(new TextEncoder().encode(JSON.stringify(parts)))}`;
}

/** The SHA-256 of some bytes, in hexadecimal. */
export async function digest(bytes: BufferSource): Promise<string> {
  const hash = await crypto.subtle.digest("SHA-256", bytes);
  return Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * Stores a file once for each key, and returns its media id. A retry gets the id of the first call, because a post with
 * another media id would be a different post.
 */
export async function storedOnce(
  context: IExecuteFunctions,
  key: string,
  store: () => Promise<string>,
): Promise<string> {
  const nodeContext = context.getContext("node");
  const files = isObject(nodeContext.files) ? nodeContext.files : {};
  const knownId = files[key];
  if (typeof knownId === "string") return knownId;
  const id = await store();
  nodeContext.files = { ...files, [key]: id };
  return id;
}
