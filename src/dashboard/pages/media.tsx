// The media library: its files as thumbnails, found by words, tag and kind; one file's details; acts on several.
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { PICKED_TYPES } from "../../domain/media/types.ts";
import { useUploads } from "../compose/uploads.ts";
import { FileDialog } from "../media/file-dialog.tsx";
import { MediaBar } from "../media/media-bar.tsx";
import "../media/media.css";
import { Tile } from "../media/tile.tsx";
import { useSession } from "../session.tsx";
import { Segments } from "../ui/choices.tsx";
import { useFilters } from "../ui/filters.tsx";
import { Able } from "../ui/marks.tsx";
import { Page } from "../ui/page.tsx";
import { SearchField } from "../ui/search-field.tsx";
import { Empty, Loading, Trouble } from "../ui/states.tsx";
import { useSay } from "../ui/toasts.tsx";

const PAGE = "60";
const KINDS = ["all", "image", "video"] as const;

export function Library() {
  const { client, workspace, whyNot } = useSession();
  const say = useSay();
  const picker = useRef<HTMLInputElement>(null);
  const { filter, set, clear } = useFilters(["q", "tag", "kind", "missing"]);
  const [opened, open] = useState<string | null>(null);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const { q, tag, missing } = filter;
  const kind = KINDS.find((candidate) => candidate === filter.kind) ?? "all";
  const library = useInfiniteQuery({
    queryKey: [workspace.id, "media", "library", { q, tag, kind }],
    queryFn: async ({ pageParam, signal }) => {
      const query = { limit: PAGE, cursor: pageParam, q, tag, kind: kind === "all" ? undefined : kind };
      return (await client.call("media.list", { query, signal })).body;
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
    placeholderData: keepPreviousData,
  });
  const uploads = useUploads(() => {
    say("File added");
    void library.refetch();
  });
  const reason = whyNot("add_media");
  const files = library.data?.pages.flatMap(({ media }) => media) ?? [];
  const shownFiles = files.filter(
    ({ alt, kind: ofKind }) => missing === undefined || (alt === null && ofKind === "image"),
  );
  const openedFile = files.find(({ id }) => id === opened);
  const tags = [...new Set([...files.flatMap((file) => file.tags), ...(tag === undefined ? [] : [tag])])].sort();
  const toggle = (id: string) => {
    const next = new Set(selected);
    if (!next.delete(id)) next.add(id);
    setSelected(next);
  };
  return (
    <Page
      title="Media"
      lead="Images and videos of this workspace"
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
            <span className="file-name" dir="auto">
              {upload.file.name}
            </span>
            <button type="button" onClick={() => uploads.cancel(upload)}>
              Cancel
            </button>
          </div>
          <progress max={1} value={upload.progress} aria-label={`Upload of ${upload.file.name}`} />
          {upload.words !== null && <p role={upload.failed ? "alert" : "status"}>{upload.words}</p>}
        </div>
      ))}
      <search className="media-filters">
        <SearchField
          label="Search media"
          placeholder="Search names, tags, alt texts"
          className="media-search"
          value={q ?? ""}
          onChange={(value) => set("q", value)}
        />
        <Segments
          label="Kind"
          value={kind}
          options={[
            { value: "all", name: "All" },
            { value: "image", name: "Images" },
            { value: "video", name: "Videos" },
          ]}
          onChange={(value) => set("kind", value === "all" ? "" : value)}
        />
        <button
          type="button"
          className="tag-pill"
          aria-pressed={missing !== undefined}
          onClick={() => set("missing", missing === undefined ? "alt" : "")}
        >
          Alt text missing
        </button>
        {tags.map((name) => (
          <button
            key={name}
            type="button"
            className="tag-pill"
            aria-pressed={name === tag}
            onClick={() => set("tag", name === tag ? "" : name)}
          >
            <bdi>{name}</bdi>
          </button>
        ))}
      </search>
      {library.isPending ? (
        <Loading what="Your media" className="media-grid">
          {Array.from({ length: 12 }, (_, tile) => tile).map((tile) => (
            <span key={tile} className="tile-wait" aria-hidden="true" />
          ))}
        </Loading>
      ) : library.isError && files.length === 0 ? (
        <Trouble error={library.error} again={() => void library.refetch()} />
      ) : shownFiles.length === 0 ? (
        <Nothing isMissing={missing !== undefined} isFiltered={Object.keys(filter).length > 0} onClear={clear} />
      ) : (
        <ul className="media-grid">
          {shownFiles.map((file) => (
            <Tile
              key={file.id}
              file={file}
              isSelected={selected.has(file.id)}
              onSelect={() => toggle(file.id)}
              onOpen={() => open(file.id)}
            />
          ))}
        </ul>
      )}
      {library.hasNextPage && (
        <div>
          <button type="button" disabled={library.isFetchingNextPage} onClick={() => void library.fetchNextPage()}>
            Show more
          </button>
        </div>
      )}
      <MediaBar files={files.filter(({ id }) => selected.has(id))} onClear={() => setSelected(new Set())} />
      {openedFile !== undefined && <FileDialog file={openedFile} onClose={() => open(null)} />}
    </Page>
  );
}

function Nothing({ isMissing, isFiltered, onClear }: { isMissing: boolean; isFiltered: boolean; onClear(): void }) {
  if (!isFiltered) {
    return (
      <Empty title="No files yet" icon="image">
        <p>Files that you add here or in a post are kept for the next one.</p>
      </Empty>
    );
  }
  return (
    <Empty title={isMissing ? "Every image has alt text" : "No files match"} icon={isMissing ? "check" : "search"}>
      <button type="button" onClick={onClear}>
        Show all
      </button>
    </Empty>
  );
}
