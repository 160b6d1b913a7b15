// The content that goes out on one channel: the text and files of the post, or the channel's own. `getThread` finds the thread,
// and `getPoll` the poll.

export interface ChannelContent<Value> {
  text: string;
  /** Ids of files, in publish order. */
  media: string[];
  /** The network's own options. */
  options: Record<string, Value>;
}

export function contentFor<Value>(
  post: { text: string; media: string[]; overrides: Record<string, Record<string, Value>> },
  channelId: string,
): ChannelContent<Value> {
  const {
    text,
    media,
    thread: _thread,
    poll: _poll,
    publish_at: _publishAt,
    ...options
  } = post.overrides[channelId] ?? {};
  return {
    text: typeof text === "string" ? text : post.text,
    media: Array.isArray(media) ? media.map(String) : post.media,
    options,
  };
}
