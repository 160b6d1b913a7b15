// A post as each of its networks shows it, one network at a time.
import { useState } from "react";
import { MEDIA_IDS_MAX } from "../../domain/limits.ts";
import { toDraft } from "../compose/draft.ts";
import { useMedia } from "../compose/files.tsx";
import { Preview } from "../compose/preview.tsx";
import { usePlatforms } from "../reads.ts";
import type { Channel, Media, Post } from "../types.ts";
import { ChannelAvatar, channelName } from "../ui/channel.tsx";
import { Tabs } from "../ui/choices.tsx";
import { useClock } from "../ui/marks.tsx";
import "./previews.css";

/** The ids of all files of a post: its own, and those of its channels and thread parts. */
export const listFiles = ({
  media,
  thread,
  channels,
  overrides,
}: Pick<Post, "media" | "thread" | "channels" | "overrides">): string[] => [
  ...media,
  ...(thread ?? []).flatMap((threadPart) => threadPart.media),
  ...channels.flatMap((id) => [
    ...(overrides[id]?.media ?? []),
    ...(overrides[id]?.thread ?? []).flatMap(({ media: ownMedia = [] }) => ownMedia),
  ]),
];

/** The files of a post, and of the decision on an earlier version of it. */
export const useFiles = (posts: Parameters<typeof listFiles>[0][]) =>
  useMedia([...new Set(posts.flatMap(listFiles))].slice(0, MEDIA_IDS_MAX)).data ?? [];

interface PreviewsProps {
  post: Post;
  channels: Channel[];
  media: Media[];
  /** The copy of a file that a channel gets. */
  adapt?(file: Media, channel: string): Media;
}

export function PostPreviews({ post, channels, media, adapt }: PreviewsProps) {
  const [selected, select] = useState("");
  const clock = useClock();
  const platforms = usePlatforms().data?.platforms ?? [];
  const known = post.channels.flatMap((id) => channels.find((channel) => channel.id === id) ?? []);
  const channel = known.find(({ id }) => id === selected) ?? known[0];
  if (channel === undefined) return <BarePreview post={post} />;
  const instant = post.published_at ?? post.due_at;
  const preview = (
    <article aria-label={`Preview for ${channelName(channel)}`}>
      <Preview
        channel={channel}
        rule={platforms.find(({ platform }) => platform === channel.platform)}
        draft={toDraft(withLiveText(post, channel.id))}
        post={post.id}
        delivery={undefined}
        isCurrent={false}
        files={media.map((file) => adapt?.(file, channel.id) ?? file)}
        when={instant === null ? undefined : clock.day(instant)}
      />
    </article>
  );
  if (known.length === 1) return <div className="post-previews">{preview}</div>;
  return (
    <div className="post-previews">
      <Tabs
        label="Preview for"
        tabs={known.map((tabChannel) => ({
          id: tabChannel.id,
          name: (
            <span title={channelName(tabChannel)}>
              <ChannelAvatar channel={tabChannel} size="small" />
              <span className="visually-hidden">{channelName(tabChannel)}</span>
            </span>
          ),
        }))}
        selected={channel.id}
        onSelect={select}
      >
        {preview}
      </Tabs>
    </div>
  );
}

/** The post as a channel shows it now: with the text of its last edit, if there was one. */
function withLiveText(post: Post, channel: string): Post {
  const text = post.deliveries.find((delivery) => delivery.channel === channel)?.live_text ?? null;
  if (text === null) return post;
  return { ...post, overrides: { ...post.overrides, [channel]: { ...post.overrides[channel], text } } };
}

/** A draft without an account looks like no network yet. */
const BarePreview = ({ post }: { post: Post }) => (
  <article className="card bare-preview" aria-label="Preview">
    {post.text.trim() === "" ? (
      <p className="soft">There is nothing in it yet.</p>
    ) : (
      <p className="exact" dir="auto">
        {post.text}
      </p>
    )}
    <p className="soft">
      <small>Choose an account to see how this will look there.</small>
    </p>
  </article>
);
