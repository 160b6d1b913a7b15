import { storedThread } from "../../domain/posts/thread.ts";
import { storedWords } from "../../domain/posts/words.ts";
import type { PostBody } from "./read-for-check.ts";

/** What was written in a post, as it is stored. */
export function postFields(body: PostBody) {
  const written = {
    text: body.text ?? "",
    overrides: JSON.parse(JSON.stringify(body.overrides ?? {})),
    labels: body.labels ?? [],
    thread: storedThread(body.thread),
  };
  return {
    ...written,
    media: body.media ?? [],
    channels: body.channels ?? [],
    metadata: body.metadata ?? {},
    mediaFit: body.media_fit ?? "exact",
    words: storedWords(written),
  };
}
