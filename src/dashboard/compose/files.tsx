// The photos and videos of a post: dropped, pasted, picked, or taken from the library, in order, each with its alt text.
import { type DragEvent, type ReactNode, useRef, useState } from "react";
import { PICKED_TYPES } from "../../domain/media/types.ts";
import { useRead } from "../reads.ts";
import type { Channel } from "../types.ts";
import { Icon } from "../ui/icons.tsx";
import { useSay } from "../ui/toasts.tsx";
import { Alerts } from "./alerts.tsx";
import { isSamePlace, moved, type Place } from "./draft.ts";
import { Tile } from "./file-tile.tsx";
import { Library } from "./library.tsx";
import { UploadingTile } from "./uploading-tile.tsx";
import type { Uploads } from "./uploads.ts";
import { exactlyAt, type Violation, within } from "./violations.ts";
import "./files.css";

export const useMedia = (ids: string[]) =>
  useRead(
    ["media", "of-post", ids.join(",")],
    async (client, signal) => {
      if (ids.length === 0) return [];
      const { body } = await client.call("media.list", { query: { ids: ids.join(","), limit: 200 }, signal });
      return ids.flatMap((id) => body.media.find((file) => file.id === id) ?? []);
    },
    { keep: true },
  );

interface FilesProps {
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
  /** Opens the crop dialog for a file. */
  onCrop(id: string): void;
  whyNot: string | null;
  /** Further tools, in the row of the buttons that add files. */
  tools?: ReactNode;
  /** Shown below the files. */
  children?: ReactNode;
}

const isFiles = (event: DragEvent) => event.dataTransfer.types.includes("Files");

export function Files(props: FilesProps) {
  const {
    place,
    name,
    pointer,
    media,
    uploads,
    violations,
    channels = [],
    onOrder,
    onCrop,
    whyNot,
    tools,
    children,
  } = props;
  const [over, setOver] = useState(false);
  const [dragged, setDragged] = useState<number | null>(null);
  const mediaQuery = useMedia(media);
  const say = useSay();
  const coming = uploads.uploads.filter(
    ({ place: target }) => isSamePlace(target, place) || (target.of === "instead" && media.includes(target.key)),
  );
  const ofName = name === undefined ? "" : ` of ${name}`;
  const move = (from: number, to: number) => {
    onOrder(moved(media, from, to));
    say(`File ${from + 1} is now file ${to + 1} of ${media.length}`);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is one of four ways; everybody can use the buttons.
    <div
      className="files"
      data-over={over}
      data-empty={media.length + coming.length === 0}
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
      {media.length + coming.length > 0 && (
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
              <Tile
                id={id}
                media={mediaQuery.data?.find((file) => file.id === id)}
                place={`File ${i + 1} of ${media.length}${ofName}`}
                isEditable={whyNot === null}
                violations={within(violations, `${pointer}/${i}`)}
                onEarlier={i === 0 ? null : () => move(i, i - 1)}
                onLater={i === media.length - 1 ? null : () => move(i, i + 1)}
                onCrop={() => onCrop(id)}
                onRemove={() => {
                  onOrder(media.filter((otherId) => otherId !== id));
                  say(`File ${i + 1} removed`, () => onOrder(media));
                }}
              />
            </li>
          ))}
          {coming.map((upload) => (
            <li key={upload.key} className="uploading">
              <UploadingTile upload={upload} uploads={uploads} />
            </li>
          ))}
        </ol>
      )}
      <AddFiles
        name={name}
        place={place}
        pointer={pointer}
        uploads={uploads}
        whyNot={whyNot}
        known={media}
        onLibrary={(ids) => onOrder([...media, ...ids])}
      >
        {tools}
      </AddFiles>
      <Alerts violations={exactlyAt(violations, pointer)} channels={channels} omit="add_file" />
      {children}
    </div>
  );
}

interface AddFilesProps {
  name: string | undefined;
  place: Place;
  pointer: string;
  uploads: Uploads;
  whyNot: string | null;
  known: string[];
  onLibrary(ids: string[]): void;
  children: ReactNode;
}

function AddFiles({ name, place, pointer, uploads, whyNot, known, onLibrary, children }: AddFilesProps) {
  const picker = useRef<HTMLInputElement>(null);
  const [isLibraryOpen, setLibraryOpen] = useState(false);
  const toName = name === undefined ? null : <span className="visually-hidden"> to {name}</span>;
  return (
    <div className="add-files">
      <button
        type="button"
        className="small"
        data-add-files={pointer}
        disabled={whyNot !== null}
        title={whyNot ?? "Or drop or paste photos and videos"}
        onClick={() => picker.current?.click()}
      >
        <Icon name="image" />
        <span>Add files{toName}</span>
      </button>
      <button type="button" className="small quiet" onClick={() => setLibraryOpen(true)}>
        <span>
          Library
          {name !== undefined && <span className="visually-hidden"> for {name}</span>}
        </span>
      </button>
      {children}
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
      {isLibraryOpen && <Library known={known} onChoose={onLibrary} onClose={() => setLibraryOpen(false)} />}
    </div>
  );
}
