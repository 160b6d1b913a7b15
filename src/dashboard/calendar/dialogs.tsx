// The dialog with all posts of a day.
import { useOpenDialog } from "../ui/open-dialog.ts";
import { Chip } from "./chip.tsx";
import { longDayName } from "./days.ts";
import type { Entry } from "./entries.ts";

interface DayProps {
  day: string;
  entries: readonly Entry[];
  /** Opens a post; without leaving the list if posts are being selected. */
  onOpen(id: string): void;
  isSelecting: boolean;
  onClose(): void;
}
/** Closing it returns the focus to the button that opened it. */
export function DayDialog({ day, entries, onOpen, isSelecting, onClose }: DayProps) {
  const dialog = useOpenDialog();
  const close = () => dialog.current?.close();
  return (
    <dialog ref={dialog} className="dialog" aria-label={longDayName(day)} closedby="any" onClose={onClose}>
      <div className="stack">
        <h2>{longDayName(day)}</h2>
        <ul className="day-list">
          {entries.map((entry) => (
            <li key={entry.id}>
              <Chip
                entry={entry}
                onPress={() => {
                  if (!isSelecting) close();
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
    </dialog>
  );
}
