// The media library: its files, a filter for images without alt text, and the expiry of each copy.
import { useInfiniteQuery } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { Link } from "wouter";
import { PICKED_TYPES } from "../../domain/media/types.ts";
import { Thumbnail } from "../compose/files.tsx";
import { useUploads } from "../compose/uploads.ts";
import { useAct, useRead } from "../reads.ts";
import { useSession } from "../session.tsx";
import type { Media } from "../types.ts";
import { AltField } from "../ui/alt-field.tsx";
import { Able, Instant, plain, State } from "../ui/marks.tsx";
import { Page } from "../ui/page.tsx";
import { PostRows } from "../ui/post-row.tsx";
import { Empty, Found, Loading, Refused, Trouble } from "../ui/states.tsx";
import { useSay } from "../ui/toasts.tsx";

const PAGE = "24";

export function Library() {
  const { client, workspace, whyNot } = useSession();
  const say = useSay();
  const picker = useRef<HTMLInputElement>(null);
  const [missing, setMissing] = useState(false);
  const library = useInfiniteQuery({
    queryKey: [workspace.id, "media", "library"],
    queryFn: async ({ pageParam, signal }) =>
      (await client.call("media.list", { query: { limit: PAGE, cursor: pageParam }, signal })).body,
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
  });
  const uploads = useUploads(() => {
    say("The file was added to the library");
    void library.refetch();
  });
  const reason = whyNot("add_media");
  const files = library.data?.pages.flatMap(({ media }) => media) ?? [];
  const shownFiles = files.filter(({ alt, kind }) => !missing || (alt === null && kind === "image"));
  return (
    <Page
      title="Media"
      lead="Images and videos in this workspace"
      actions={
        <Able why={reason}>
          {(disabled) => (
            <button type="button" className="primary" disabled={disabled} onClick={() => picker.current?.click()}>
              Add files
            </button>
          )}
        </Able>
      }
    >
      <input
        ref={picker}
        type="file"
        multiple
        hidden
        accept={PICKED_TYPES}
        aria-label="Files to add"
        onChange={({ target }) => {
          uploads.add(target.files ?? [], { of: "post" });
          target.value = "";
        }}
      />
      {uploads.uploads.map((upload) => (
        <div key={upload.key} className="card">
          <div className="row apart">
            <span className="file-name">{upload.file.name}</span>
            <button type="button" onClick={() => uploads.cancel(upload)}>
              Cancel
            </button>
          </div>
          <progress max={1} value={upload.progress} aria-label={`Upload of ${upload.file.name}`} />
          {upload.words !== null && <p role={upload.failed ? "alert" : "status"}>{upload.words}</p>}
        </div>
      ))}
      <label className="choice">
        <input type="checkbox" checked={missing} onChange={({ target }) => setMissing(target.checked)} />
        Only images without alt text
      </label>
      {library.isPending ? (
        <Loading what="Your media" />
      ) : library.isError ? (
        <Trouble error={library.error} again={() => void library.refetch()} />
      ) : shownFiles.length === 0 ? (
        <Empty title={missing ? "Every image has alt text" : "No files yet"} />
      ) : (
        <ul className="library">
          {shownFiles.map((media) => (
            <li key={media.id} className="card">
              <OneFile media={media} />
            </li>
          ))}
        </ul>
      )}
      {library.hasNextPage && (
        <button type="button" disabled={library.isFetchingNextPage} onClick={() => void library.fetchNextPage()}>
          Show more
        </button>
      )}
    </Page>
  );
}

function OneFile({ media }: { media: Media }) {
  const { whyNot } = useSession();
  const say = useSay();
  const [opened, open] = useState(false);
  const remove = useAct(
    async (client, _: null) => client.call("media.remove", { params: { id: media.id } }),
    ["media"],
  );
  return (
    <>
      <Thumbnail media={media} />
      <p className="meta numbers">
        {media.state === "ready" ? null : <State of={media.state} />}
        {media.width !== null && `${media.width} × ${media.height}`}
        {media.seconds !== null && ` · ${Math.round(media.seconds)} s`}
        {media.bytes !== null && ` · ${formatSize(media.bytes)}`}
        {media.expires_at !== null && (
          <span>
            our copy is deleted <Instant at={media.expires_at} />
          </span>
        )}
      </p>
      <AltField file={media.id} alt={media.alt} of={`this ${media.kind}`} disabled={whyNot("add_media") !== null} />
      <div>
        <Able why={whyNot("delete_media")}>
          {(disabled) => (
            <button
              type="button"
              className="danger small"
              disabled={disabled || remove.isPending}
              onClick={() => remove.mutate(null, { onSuccess: () => say("The file was deleted") })}
            >
              Delete<span className="visually-hidden"> {media.alt ?? `this ${media.kind}`}</span>
            </button>
          )}
        </Able>
      </div>
      <Refused error={remove.error} />
      <details onToggle={({ currentTarget }) => currentTarget.open && open(true)}>
        <summary>
          Used by<span className="visually-hidden">: {media.alt ?? `this ${media.kind}`}</span>
        </summary>
        {opened && <Uses media={media.id} />}
      </details>
      <small className="soft">{plain(media.content_type ?? media.kind)}</small>
    </>
  );
}

const USES = "10";

/** The posts that use a file, drafts first. */
function Uses({ media }: { media: string }) {
  const uses = useRead(["posts", "media", media], async (client, signal) => {
    const find = async (query: { status?: "draft" }) =>
      (await client.call("posts.list", { query: { media, limit: USES, ...query }, signal })).body;
    const [drafts, otherPage] = await Promise.all([find({ status: "draft" }), find({})]);
    return { posts: [...drafts.posts, ...otherPage.posts], isAll: drafts.next === null && otherPage.next === null };
  });
  return (
    <Found query={uses} what="The posts that use it">
      {({ posts, isAll }) => (
        <>
          {posts.length === 0 ? <p className="soft">No posts use it.</p> : <PostRows posts={posts} />}
          {!isAll && (
            <p>
              <Link href={`/posts?media=${media}`}>All posts that use it</Link>
            </p>
          )}
        </>
      )}
    </Found>
  );
}

function formatSize(bytes: number): string {
  const megabytes = bytes / 1_000_000;
  return megabytes < 1 ? `${Math.max(1, Math.round(bytes / 1000))} kB` : `${megabytes.toFixed(1)} MB`;
}
