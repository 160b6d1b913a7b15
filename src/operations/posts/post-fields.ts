import type { PostBody } from "./read-for-check.ts";

/** What was written in a post, as it is stored. */
export const postFields = (body: PostBody) => ({
  text: body.text ?? "",
  media: body.media ?? [],
  channels: body.channels ?? [],
  overrides: JSON.parse(JSON.stringify(body.overrides ?? {})),
  labels: body.labels ?? [],
  metadata: body.metadata ?? {},
});
