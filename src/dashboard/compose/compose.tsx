// The composer's page: a new post, a copy, a copy for the channels where a post failed, or an existing post to edit.
import { Link, useSearchParams } from "wouter";
import { useChannels, usePlatforms, useRead } from "../reads.ts";
import { useSession } from "../session.tsx";
import type { Channel, Post } from "../types.ts";
import { Page } from "../ui/page.tsx";
import { Found, Loading } from "../ui/states.tsx";
import { type Draft, EMPTY, type MediaFit, toCopy, toDraft } from "./draft.ts";
import { Editor } from "./editor.tsx";
import { readLastChoice } from "./last-choice.ts";
import { usePlace } from "./place.ts";
import { planRepost, RepostNote } from "./repost.tsx";

export function Compose() {
  const [query] = useSearchParams();
  const edited = query.get("post");
  const fixed = query.get("fix");
  const copied = fixed ?? query.get("copy");
  const initialTime = query.get("at") ?? "";
  const source = edited ?? copied;
  const place = usePlace(edited ?? (copied === null ? "new" : `${fixed === null ? "copy" : "fix"}-${copied}`));
  const post = useRead(
    ["posts", source],
    async (client, signal) =>
      source === null ? null : (await client.call("posts.get", { params: { id: source }, signal })).body,
    { always: fixed !== null },
  );
  const isPostRead = post.isFetchedAfterMount;
  const channels = useChannels();
  const platforms = usePlatforms();
  const { workspace } = useSession();
  const title = edited === null ? "Compose" : "Edit post";
  return (
    <Page title={title}>
      <Found query={channels} what="Your channels">
        {(channels) => (
          <Found query={platforms} what="The networks' rules">
            {({ platforms }) => (
              <Found query={post} what="The post">
                {(post) =>
                  // A cached post may be older than a delivery that has gone live since.
                  place === null || (fixed !== null && !isPostRead) ? (
                    <Loading what="Your text" />
                  ) : edited !== null && post !== null && !isEditable(post) ? (
                    <p className="note">
                      <span>This post can no longer be changed.</span>
                      <Link href={`/posts/${post.id}`}>View post</Link>
                    </p>
                  ) : (
                    <>
                      {fixed !== null && post !== null && (
                        <RepostNote repost={planRepost(post.deliveries)} channels={channels} />
                      )}
                      <Editor
                        key={place}
                        channels={channels}
                        platforms={platforms}
                        kept={edited === null ? undefined : (post ?? undefined)}
                        start={beginDraft(post, {
                          edited: edited !== null,
                          fixed: fixed !== null,
                          at: initialTime,
                          mediaFit: workspace.media_fit,
                          linkTags: workspace.link_tags,
                          channels: chooseFirst(channels, readLastChoice(workspace.id)),
                        })}
                        place={place}
                      />
                    </>
                  )
                }
              </Found>
            )}
          </Found>
        )}
      </Found>
    </Page>
  );
}

/** The channels of the last post that are still connected. Without any, the only channel of the workspace. */
function chooseFirst(channels: readonly Channel[], last: readonly string[]): string[] {
  const connected = channels.filter(({ state }) => state === "connected").map(({ id }) => id);
  const chosen = last.filter((id) => connected.includes(id));
  return chosen.length === 0 && connected.length === 1 ? connected : chosen;
}

interface Beginning {
  edited: boolean;
  fixed: boolean;
  at: string;
  /** The workspace's defaults. */
  mediaFit: MediaFit;
  linkTags: Draft["linkTags"];
  /** Those of the last post. */
  channels: string[];
}

/** The editor's first draft: the edited post, a copy of it, or an empty one. */
function beginDraft(post: Post | null, { edited, fixed, at, mediaFit, linkTags, channels }: Beginning): Draft {
  if (post === null) return { ...EMPTY, at, mediaFit, linkTags, channels };
  if (edited) return toDraft(post);
  const draft = toCopy(post);
  return fixed ? { ...draft, at, channels: planRepost(post.deliveries).failed } : { ...draft, at };
}

const isEditable = ({ status }: Post) => ["draft", "awaiting_approval", "scheduled"].includes(status);
