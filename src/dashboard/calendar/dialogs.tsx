// The dialogs of the calendar: one post, and all posts of a day.
import type { ReactNode } from "react";
import { Link } from "wouter";
import { MoveTo } from "../move.tsx";
import { useOpenDialog } from "../ui/open-dialog.ts";
import { PostRow } from "../ui/post-row.tsx";
import { Chip } from "./chip.tsx";
import { longDayName } from "./days.ts";
import type { Entry } from "./entries.ts";

interface OpenedProps {
  name: string;
  onClose(): void;
  /** `close` returns the focus to the previous element. */
  children(close: () => void): ReactNode;
}
/** A dialog that is open from the start. */
function Opened({ name, onClose, children }: OpenedProps) {
  const dialog = useOpenDialog();
  return (
    <dialog ref={dialog} className="dialog" aria-label={name} onClose={onClose}>
      {children(() => dialog.current?.close())}
    </dialog>
  );
}

export function PostDialog({ entry: { post, title }, onClose }: { entry: Entry; onClose: () => void }) {
  return (
    <Opened name={title} onClose={onClose}>
      {(close) => (
        <div className="stack">
          <PostRow post={post} />
          <MoveTo post={post} onMoved={close} />
          <div className="row end">
            <button type="button" onClick={close}>
              Close
            </button>
            <Link href={`/posts/${post.id}`} className="button primary">
              Open the post
            </Link>
          </div>
        </div>
      )}
    </Opened>
  );
}

interface DayProps {
  day: string;
  entries: readonly Entry[];
  onOpen(id: string): void;
  onClose(): void;
}
export function DayDialog({ day, entries, onOpen, onClose }: DayProps) {
  return (
    <Opened name={longDayName(day)} onClose={onClose}>
      {(close) => (
        <div className="stack">
          <h2>{longDayName(day)}</h2>
          <ul className="day-list">
            {entries.map((entry) => (
              <li key={entry.id}>
                <Chip
                  entry={entry}
                  onPress={() => {
                    close();
                    onOpen(entry.id);
                  }}
                />
              </li>
            ))}
          </ul>
          <div className="row end">
            <button type="button" onClick={close}>
              Close
            </button>
          </div>
        </div>
      )}
    </Opened>
  );
}
