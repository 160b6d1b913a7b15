// The body of a post as one channel publishes it: its links have the parameters of the post, or of the workspace.
import type { JsonObject } from "../../domain/json.ts";
import { storedLinkTags, type TaggedDelivery } from "../../domain/posts/link-tags.ts";
import { tagOptions, tagText } from "../../domain/posts/tagged-text.ts";
import type { WorkspaceRow } from "../../store/accounts/accounts.ts";
import type { ChannelRow } from "../../store/channels/channels.ts";
import type { PostBody } from "./read-for-check.ts";
import { getNetworkOptions } from "./targets.ts";

/** A new post takes the parameters of its workspace unless it names its own. */
export const withLinkTags = (body: PostBody, { linkTags }: Pick<WorkspaceRow, "linkTags">): PostBody =>
  body.link_tags === undefined && linkTags !== null ? { ...body, link_tags: linkTags } : body;

/** `post`: the id of an existing post; null: it is new. */
export function tagBody(
  body: PostBody,
  { id, platform }: Pick<ChannelRow, "id" | "platform">,
  post: string | null,
): PostBody {
  const tags = storedLinkTags(body.link_tags, body.labels);
  if (tags === null) return body;
  const delivery: TaggedDelivery = { platform, channel: id, post };
  const tag = (text: string) => tagText(text, tags, delivery);
  const tagThread = (thread: PostBody["thread"]) => thread?.map((part) => ({ ...part, text: tag(part.text) }));
  const own = body.overrides?.[id];
  const options: JsonObject = JSON.parse(JSON.stringify(getNetworkOptions(own)));
  return {
    ...body,
    ...(body.text === undefined ? {} : { text: tag(body.text) }),
    ...(body.thread == null ? {} : { thread: tagThread(body.thread) }),
    ...(body.repeat == null ? {} : { repeat: { ...body.repeat, variations: body.repeat.variations?.map(tag) } }),
    ...(own === undefined
      ? {}
      : {
          overrides: {
            ...body.overrides,
            [id]: {
              ...own,
              ...tagOptions(options, tags, delivery),
              ...(own.text === undefined ? {} : { text: tag(own.text) }),
              ...(own.thread === undefined ? {} : { thread: tagThread(own.thread) }),
            },
          },
        }),
  };
}
