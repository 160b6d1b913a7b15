// The files of a post: added by drop, paste or picker, in order, each with its alt text.
import { type DragEvent, useRef, useState } from "react";
import { PICKED_TYPES } from "../../domain/media/types.ts";
import { useRead } from "../reads.ts";
import type { Channel, Media } from "../types.ts";
import { AltField } from "../ui/alt-field.tsx";
import { useSay } from "../ui/toasts.tsx";
import { Alerts } from "./alerts.tsx";
import { isSamePlace, moved, type Place } from "./draft.ts";
import { NoPreview } from "./no-preview.tsx";
import type { Uploads } from "./uploads.ts";
import { exactlyAt, type Violation, within } from "./violations.ts";

export const useMedia = (ids: string[]) =>
  useRead(
    ["media", "of-post", ids.join(",")],
    async (client, signal) => {
      if (ids.length === 0) return [];
      const { body } = await client.call("media.list", { query: { ids: ids.join(","), limit: "200" }, signal });
      return ids.flatMap((id) => body.media.find((file) => file.id === id) ?? []);
    },
    { keep: true },
  );

export function Files({
  place,
  name,
  pointer,
  media,
  uploads,
  violations,
  channels = [],
  onOrder,
  whyNot,
}: {
  /** The owner of the files. */
  place: Place;
  /** The owner's name if it is not the post itself: "part 2". */
  name?: string;
  /** The JSON pointer of the files in the request. */
  pointer: string;
  media: string[];
  uploads: Uploads;
  violations: Violation[];
  /** Used to name the channel of a violation. */
  channels?: Channel[];
  onOrder(media: string[]): void;
  whyNot: string | null;
}) {
  const picker = useRef<HTMLInputElement>(null);
  const [over, setOver] = useState(false);
  const [dragged, setDragged] = useState<number | null>(null);
  const mediaQuery = useMedia(media);
  const say = useSay();
  const coming = uploads.uploads.filter((upload) => isSamePlace(upload.place, place));
  const ofName = name === undefined ? "" : ` of ${name}`;
  const isFiles = (event: DragEvent) => event.dataTransfer.types.includes("Files");
  const move = (from: number, to: number) => {
    onOrder(moved(media, from, to));
    say(`File ${from + 1} is now file ${to + 1} of ${media.length}`);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is one of three ways; everybody can use the button.
    <div
      className={name === undefined ? "card files" : "stack tight files"}
      data-over={over}
      onDragOver={(event) => {
        if (!isFiles(event)) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        setOver(false);
        if (!isFiles(event) || whyNot !== null) return;
        event.preventDefault();
        uploads.add(event.dataTransfer.files, place);
      }}
    >
      <div className="row apart">
        {name === undefined ? <h2>Media</h2> : <h3>Media{ofName}</h3>}
        <button type="button" disabled={whyNot !== null} onClick={() => picker.current?.click()}>
          Add files
          {name !== undefined && <span className="visually-hidden"> to {name}</span>}
        </button>
        <input
          ref={picker}
          type="file"
          multiple
          hidden
          accept={PICKED_TYPES}
          aria-label={`Files to add${name === undefined ? "" : ` to ${name}`}`}
          onChange={({ target }) => {
            uploads.add(target.files ?? [], place);
            target.value = "";
          }}
        />
      </div>
      {media.length + coming.length === 0 && (
        <p className="soft">{whyNot ?? "Drop photos and videos here, or paste them into the text."}</p>
      )}
      <Alerts violations={exactlyAt(violations, pointer)} channels={channels} />
      <ol className="file-list">
        {media.map((id, i) => (
          <li
            key={id}
            draggable
            data-dragged={dragged === i}
            onDragStart={(event) => {
              event.dataTransfer.effectAllowed = "move";
              setDragged(i);
            }}
            onDragEnd={() => setDragged(null)}
            onDragOver={(event) => {
              if (dragged !== null) event.preventDefault();
            }}
            onDrop={() => {
              if (dragged !== null && dragged !== i) move(dragged, i);
              setDragged(null);
            }}
          >
            <OneFile
              id={id}
              media={mediaQuery.data?.find((file) => file.id === id)}
              place={`File ${i + 1} of ${media.length}${ofName}`}
              isDescribed={whyNot === null}
              violations={within(violations, `${pointer}/${i}`)}
              onEarlier={i === 0 ? null : () => move(i, i - 1)}
              onLater={i === media.length - 1 ? null : () => move(i, i + 1)}
              onRemove={() => onOrder(media.filter((otherId) => otherId !== id))}
            />
          </li>
        ))}
        {coming.map((upload) => (
          <li key={upload.key} className="uploading">
            <div className="row apart">
              <span className="file-name">{upload.file.name}</span>
              <span className="row">
                {upload.failed && (
                  <button type="button" onClick={() => uploads.again(upload)}>
                    Try again
                  </button>
                )}
                <button type="button" onClick={() => uploads.cancel(upload)}>
                  Cancel
                </button>
              </span>
            </div>
            <progress max={1} value={upload.progress} aria-label={`Upload of ${upload.file.name}`} />
            {upload.words !== null && (
              <p className={upload.failed ? "alert" : "soft"} role={upload.failed ? "alert" : "status"}>
                {upload.words}
              </p>
            )}
          </li>
        ))}
      </ol>
    </div>
  );
}

/** The name as it reads inside a sentence. */
const inside = (place: string) => place.charAt(0).toLowerCase() + place.slice(1);

function OneFile({
  id,
  media,
  place,
  isDescribed,
  violations,
  onEarlier,
  onLater,
  onRemove,
}: {
  id: string;
  media: Media | undefined;
  place: string;
  /** Whether the person may write alt texts. */
  isDescribed: boolean;
  violations: Violation[];
  onEarlier: (() => void) | null;
  onLater: (() => void) | null;
  onRemove(): void;
}) {
  return (
    <>
      <Thumbnail media={media} />
      <div className="stack tight">
        <AltField file={id} alt={media?.alt} of={inside(place)} disabled={!isDescribed} />
        <div className="row">
          <small className="soft">{place}</small>
          <button type="button" className="small" disabled={onEarlier === null} onClick={() => onEarlier?.()}>
            <span className="visually-hidden">{place}: </span>Move up
          </button>
          <button type="button" className="small" disabled={onLater === null} onClick={() => onLater?.()}>
            <span className="visually-hidden">{place}: </span>Move down
          </button>
          <button type="button" className="small" onClick={onRemove}>
            Remove<span className="visually-hidden"> {inside(place)}</span>
          </button>
        </div>
        <Alerts violations={violations} />
      </div>
    </>
  );
}

/** Loads only our own copies, never a file from another host. A new upload is shown before its state is updated. */
export function Thumbnail({
  media,
  isDescribed = false,
}: {
  media: Media | undefined;
  /** Whether its description appears next to it as text, so that a screen reader does not read it twice. */
  isDescribed?: boolean;
}) {
  const [missing, setMissing] = useState<Media["state"] | null>(null);
  const isCopy = media?.state === "ready" || media?.state === "awaiting_upload";
  const copyUrl = isCopy ? media.public_url : null;
  if (media === undefined || copyUrl === null || missing === media.state) {
    return <NoPreview media={media} isDescribed={isDescribed} hasCopy={copyUrl !== null} />;
  }
  const thumbnailProps = { className: "thumb", src: copyUrl, onError: () => setMissing(media.state) };
  return media.kind === "image" ? (
    <img {...thumbnailProps} alt={isDescribed ? "" : (media.alt ?? "")} loading="lazy" />
  ) : (
    <video {...thumbnailProps} preload="metadata" muted aria-label={isDescribed ? "Video" : (media.alt ?? "Video")} />
  );
}
