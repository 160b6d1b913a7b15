// One photo or video of a post, with its alt text, its place in the order, and its problems.
import type { KeyboardEvent } from "react";
import { ALT_LENGTH_MAX } from "../../domain/limits.ts";
import { useAltText } from "../alt-texts.ts";
import type { Media } from "../types.ts";
import { Icon } from "../ui/icons.tsx";
import { Menu, type MenuEntry } from "../ui/menu.tsx";
import { Refused } from "../ui/states.tsx";
import { Thumbnail } from "../ui/thumbnail.tsx";
import { Alerts } from "./alerts.tsx";
import type { Violation } from "./violations.ts";

interface TileProps {
  id: string;
  media: Media | undefined;
  /** "File 1 of 3" */
  place: string;
  /** Whether the person may write alt texts and upload a cropped copy. */
  isEditable: boolean;
  violations: Violation[];
  onEarlier: (() => void) | null;
  onLater: (() => void) | null;
  onCrop(): void;
  onRemove(): void;
}

/** The name as it reads inside a sentence. */
const inside = (place: string) => place.charAt(0).toLowerCase() + place.slice(1);

export function Tile({ id, media, place, isEditable, violations, onEarlier, onLater, onCrop, onRemove }: TileProps) {
  const entries: MenuEntry[] = [
    ...(onEarlier === null ? [] : [{ name: "Move earlier", icon: "left" as const, act: onEarlier }]),
    ...(onLater === null ? [] : [{ name: "Move later", icon: "right" as const, act: onLater }]),
    ...(media?.kind === "image" && isEditable ? [{ name: "Crop", icon: "crop" as const, act: onCrop }] : []),
    { name: "Remove", icon: "trash", isDanger: true, act: onRemove },
  ];
  function move(event: KeyboardEvent) {
    const act = { ArrowLeft: onEarlier, ArrowRight: onLater, Delete: onRemove }[event.key];
    if (act === undefined || act === null) return;
    event.preventDefault();
    act();
  }
  return (
    <div className="file-tile" data-broken={violations.length > 0} data-file={id}>
      <span className="tile-picture">
        <Thumbnail media={media} isDescribed isSmall />
        {media?.kind === "video" && (
          <span className="tile-kind" aria-hidden="true">
            <Icon name="play" />
          </span>
        )}
        <span className="tile-tools">
          {onEarlier === null && onLater === null ? null : (
            <button
              type="button"
              className="quiet icon-button"
              aria-label={`${place}: press the arrow keys to move it`}
              title="Drag, or press the arrow keys, to change the order"
              onKeyDown={move}
            >
              <Icon name="grip" />
            </button>
          )}
          <Menu label={`Actions for ${inside(place)}`} entries={entries} className="quiet icon-button" />
          <button type="button" className="quiet icon-button" aria-label={`Remove ${inside(place)}`} onClick={onRemove}>
            <Icon name="cross" />
          </button>
        </span>
      </span>
      <AltText id={id} alt={media?.alt} of={inside(place)} isDisabled={!isEditable} />
      <Alerts violations={violations} />
    </div>
  );
}

interface AltTextProps {
  id: string;
  alt: string | null | undefined;
  of: string;
  isDisabled: boolean;
}

function AltText({ id, alt, of, isDisabled }: AltTextProps) {
  const { text, type, takeBack, send, error, isSaved } = useAltText(id, alt);
  return (
    <>
      <span className="alt-field" data-saved={isSaved} data-missing={text.trim() === ""}>
        <input
          dir="auto"
          value={text}
          maxLength={ALT_LENGTH_MAX}
          disabled={isDisabled}
          aria-label={`Alt text of ${of}`}
          placeholder="Add alt text"
          data-alt={id}
          onChange={({ target }) => type(target.value)}
          onBlur={send}
        />
      </span>
      <Refused error={error} />
      {error !== undefined && (
        <button type="button" className="small" onClick={takeBack}>
          Discard changes to the alt text
        </button>
      )}
    </>
  );
}
