// One file of the library: its small copy, its name, and whether its alt text is missing.
import { useState } from "react";
import type { Media } from "../types.ts";
import { Icon } from "../ui/icons.tsx";
import { getSmallCopy } from "../ui/post-thumb.tsx";
import { getFileName } from "./names.ts";

interface TileProps {
  file: Media;
  isSelected: boolean;
  onSelect(): void;
  onOpen(): void;
}

export function Tile({ file, isSelected, onSelect, onOpen }: TileProps) {
  const name = getFileName(file);
  const isMissing = file.kind === "image" && file.alt === null;
  return (
    <li className="tile" data-selected={isSelected}>
      <button type="button" className="tile-open" aria-label={`Open ${name}`} onClick={onOpen}>
        <SmallCopy file={file} />
        {file.kind === "video" && (
          <span className="tile-length numbers" aria-hidden="true">
            <Icon name="play" />
            {file.seconds !== null && formatLength(file.seconds)}
          </span>
        )}
      </button>
      <input
        type="checkbox"
        className="tile-pick"
        aria-label={`Select ${name}`}
        checked={isSelected}
        onChange={onSelect}
      />
      <span className="tile-name one-line" dir="auto">
        {name}
      </span>
      <small className="soft tile-facts">
        {isMissing ? <span className="tile-missing">Alt text missing</span> : <span>{file.tags.join(", ")}</span>}
        {file.state === "expired" && <span>Expired</span>}
        {file.keep && file.state !== "expired" && <span>Kept</span>}
      </small>
    </li>
  );
}

/** "1:05" */
const formatLength = (seconds: number): string =>
  `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;

/** The small copy, never the file itself: sixty files stay under 500 KB. */
function SmallCopy({ file }: { file: Media }) {
  const url = getSmallCopy(file);
  const [broken, setBroken] = useState<string | null>(null);
  if (url !== null && url !== broken) {
    return <img src={url} alt="" width={320} height={240} loading="lazy" onError={() => setBroken(url)} />;
  }
  return (
    <span className="tile-blank" aria-hidden="true">
      <Icon
        name={file.kind === "video" ? "film" : file.kind === "document" || file.kind === "captions" ? "book" : "image"}
      />
      {file.state === "registered" && <small className="one-line">{new URL(file.url).host}</small>}
    </span>
  );
}
