// The composer's address: a new post, a copy of one, or one that is edited.
import { Link, useSearchParams } from "wouter";
import { useChannels, usePlatforms, useRead } from "../reads.ts";
import type { Post } from "../types.ts";
import { plain } from "../ui/marks.tsx";
import { Page } from "../ui/page.tsx";
import { Found, Loading } from "../ui/states.tsx";
import { draftOf, EMPTY } from "./draft.ts";
import { Editor } from "./editor.tsx";
import { usePlace } from "./place.ts";

export function Compose() {
  const [query] = useSearchParams();
  const edited = query.get("post");
  const copied = query.get("copy");
  const at = query.get("at") ?? "";
  const source = edited ?? copied;
  const place = usePlace(edited ?? (copied === null ? "new" : `copy-${copied}`));
  const post = useRead(["posts", source], async (client, signal) =>
    source === null ? null : (await client.call("posts.get", { params: { id: source }, signal })).body,
  );
  const channels = useChannels();
  const platforms = usePlatforms();
  const title = edited === null ? "Compose" : "Edit post";
  return (
    <Page title={title} wide>
      <Found query={channels} what="Your channels">
        {(channels) => (
          <Found query={platforms} what="The networks' rules">
            {({ platforms }) => (
              <Found query={post} what="The post">
                {(post) =>
                  place === null ? (
                    <Loading what="Your text" />
                  ) : edited !== null && post !== null && !isEditable(post) ? (
                    <p className="note">
                      <span>This post is {plain(post.status)}: it cannot be edited any more.</span>
                      <Link href={`/posts/${post.id}`}>See the post</Link>
                    </p>
                  ) : (
                    <Editor
                      key={place}
                      channels={channels}
                      platforms={platforms}
                      kept={edited === null ? undefined : (post ?? undefined)}
                      start={
                        post === null ? { ...EMPTY, at } : { ...draftOf(post), ...(edited === null ? { at } : {}) }
                      }
                      place={place}
                    />
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

const isEditable = ({ status }: Post) => ["draft", "awaiting_approval", "scheduled"].includes(status);
