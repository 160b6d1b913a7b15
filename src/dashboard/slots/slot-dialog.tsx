// One slot: its day, time and channels.
import { useState } from "react";
import type { Channel } from "../types.ts";
import { Button } from "../ui/button.tsx";
import { channelName } from "../ui/channel.tsx";
import { useOpenDialog } from "../ui/open-dialog.ts";
import { DAYS, describeSlot, type Slot } from "./weekly.ts";

interface SlotDialogProps {
  slot: Slot;
  channels: Channel[];
  /** Why the user may not change it, or null. */
  why: string | null;
  onClose(): void;
  onSave(next: Slot): void;
  onRemove(): void;
}

export function SlotDialog({ slot, channels, why, onClose, onSave, onRemove }: SlotDialogProps) {
  const dialog = useOpenDialog();
  const [next, setNext] = useState(slot);
  const chosen = next.channels;
  const toggle = (id: string, isOn: boolean) => {
    const ids = (chosen ?? []).filter((channel) => channel !== id);
    setNext({ ...next, channels: isOn ? [...ids, id] : ids });
  };
  return (
    <dialog ref={dialog} className="dialog" aria-label={describeSlot(slot)} closedby="any" onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          dialog.current?.close();
          onSave({ ...next, channels: chosen === null || chosen.length === 0 ? null : chosen });
        }}
      >
        <h2>{describeSlot(slot)}</h2>
        {why !== null && <p className="note">{why}</p>}
        <fieldset className="stack" disabled={why !== null}>
          <div className="pair">
            <label className="field">
              <span>Day of the week</span>
              <select
                value={next.weekday}
                onChange={({ target }) => setNext({ ...next, weekday: Number(target.value) })}
              >
                {DAYS.map((day, i) => (
                  <option key={day} value={i + 1}>
                    {day}
                  </option>
                ))}
              </select>
            </label>
            <label className="field">
              <span>Time of day</span>
              <input
                type="time"
                required
                value={next.time}
                onChange={({ target }) => setNext({ ...next, time: target.value.slice(0, 5) })}
              />
            </label>
          </div>
          <label className="choice">
            <input
              type="checkbox"
              checked={chosen === null}
              onChange={({ target }) => setNext({ ...next, channels: target.checked ? null : [] })}
            />
            <span>All channels, also those connected later</span>
          </label>
          {chosen !== null &&
            channels.map((channel) => (
              <label key={channel.id} className="choice">
                <input
                  type="checkbox"
                  checked={chosen.includes(channel.id)}
                  onChange={({ target }) => toggle(channel.id, target.checked)}
                />
                <span>{channelName(channel)}</span>
              </label>
            ))}
        </fieldset>
        <div className="row end">
          <Button
            variant="danger"
            disabled={why !== null}
            onClick={() => {
              dialog.current?.close();
              onRemove();
            }}
          >
            Remove
          </Button>
          <Button variant="quiet" onClick={() => dialog.current?.close()}>
            Close
          </Button>
          <Button type="submit" variant="primary" disabled={why !== null}>
            Save
          </Button>
        </div>
      </form>
    </dialog>
  );
}
