// A post as its readers will see it: the account, the text, the files, and the rest of its thread.
import { useState } from "react";
import { networkName } from "../../domain/network-name.ts";
import { contentFor } from "../../domain/posts/channel-content.ts";
import { getPoll } from "../../domain/posts/poll.ts";
import { getThread } from "../../domain/posts/thread.ts";
import type { Channel, Media, Post } from "../types.ts";
import { ChannelAvatar, channelName, Mark } from "./channel.tsx";
import { Tabs } from "./choices.tsx";
import { ShownPoll } from "./poll.tsx";
import { splitStretches } from "./shown.ts";
import { Thumbnail } from "./thumbnail.tsx";
import "./post-preview.css";

type Content = Pick<Post, "text" | "media" | "thread" | "poll" | "overrides" | "channels">;

/** The ids of all files of a post: its own, and those of its channels and thread parts. */
export const listFiles = ({ media, thread, channels, overrides }: Omit<Content, "text" | "poll">): string[] => [
  ...media,
  ...(thread ?? []).flatMap((threadPart) => threadPart.media),
  ...channels.flatMap((id) => [
    ...(overrides[id]?.media ?? []),
    ...(overrides[id]?.thread ?? []).flatMap(({ media: ownMedia = [] }) => ownMedia),
  ]),
];

interface PreviewProps {
  post: Content;
  channels: Channel[];
  /** The post's files, or the copies of them that a channel gets. */
  findFile(id: string, channel: string | null): Media | undefined;
}

/** One preview for each network whose content differs; the others share one. */
export function PostPreviews({ post, channels, findFile }: PreviewProps) {
  const [first = null] = post.channels;
  const [selected, select] = useState(first ?? "");
  const known = post.channels.flatMap((id) => channels.find((channel) => channel.id === id) ?? []);
  if (known.length < 2) return <PostPreview post={post} channel={known[0]} channelId={first} findFile={findFile} />;
  const current = known.find(({ id }) => id === selected) ?? known[0];
  if (current === undefined) return null;
  return (
    <div className="previews-by-network">
      <Tabs
        label="Preview for"
        tabs={known.map((channel) => ({
          id: channel.id,
          name: (
            <>
              <Mark platform={channel.platform} />
              <span className="visually-hidden">{channelName(channel)}</span>
            </>
          ),
        }))}
        selected={current.id}
        onSelect={select}
      >
        <PostPreview post={post} channel={current} channelId={current.id} findFile={findFile} />
      </Tabs>
    </div>
  );
}

function PostPreview({
  post,
  channel,
  channelId,
  findFile,
}: Pick<PreviewProps, "post" | "findFile"> & { channel: Channel | undefined; channelId: string | null }) {
  const content = channelId === null ? { ...post, options: {} } : contentFor(post, channelId);
  const further = channelId === null ? (post.thread ?? []) : getThread(post, channelId);
  const title = findTitle(content.options);
  const poll = channelId === null ? post.poll : getPoll(post, channelId);
  const parts = [{ text: content.text, media: content.media }, ...further];
  return (
    <article
      className="post-preview"
      aria-label={channel === undefined ? "Preview" : `Preview for ${channelName(channel)}`}
    >
      {parts.map(({ text, media }, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a thread part is identified by its position.
        <div key={i} className="preview-part" data-goes-on={i < parts.length - 1}>
          {channel === undefined ? <span className="avatar" /> : <ChannelAvatar channel={channel} size="large" />}
          <div className="preview-body">
            <p className="preview-who">
              <strong dir="auto">{channel?.name ?? channel?.handle ?? "No account yet"}</strong>{" "}
              {channel !== undefined && (
                <small className="soft">
                  {channel.name !== null && channel.name !== channel.handle && <bdi>{channel.handle} · </bdi>}
                  {networkName(channel.platform)}
                </small>
              )}
            </p>
            {i === 0 && title !== null && (
              <p className="preview-title" dir="auto">
                {title}
              </p>
            )}
            {text !== "" && <Text text={text} platform={channel?.platform ?? ""} />}
            {i === 0 && poll !== null && <ShownPoll poll={poll} hasQuestion={!text.includes(poll.question)} />}
            {text === "" && media.length === 0 && (i > 0 || poll === null) && (
              <p className="soft">There is nothing in it yet.</p>
            )}
            {media.length > 0 && (
              <ul className="preview-files" data-count={Math.min(4, media.length)}>
                {media.map((id) => {
                  const file = findFile(id, channelId);
                  return (
                    <li key={id}>
                      <Thumbnail media={file} isDescribed={file?.kind === "image" && file.alt === null} />
                    </li>
                  );
                })}
              </ul>
            )}
          </div>
        </div>
      ))}
      {typeof content.options.first_comment === "string" && (
        <div className="preview-comment">
          <small className="soft">First comment</small>
          <Text text={content.options.first_comment} platform={channel?.platform ?? ""} />
        </div>
      )}
    </article>
  );
}

const findTitle = ({ title, photo_title: photoTitle }: Record<string, unknown>): string | null =>
  typeof title === "string" ? title : typeof photoTitle === "string" ? photoTitle : null;

const Text = ({ text, platform }: { text: string; platform: string }) => (
  <p className="exact" dir="auto">
    {splitStretches(text, platform).map(({ text: stretch, marked }, i) =>
      // biome-ignore lint/suspicious/noArrayIndexKey: a stretch is identified by its position.
      marked ? <mark key={i}>{stretch}</mark> : stretch,
    )}
  </p>
);
