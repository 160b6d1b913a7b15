// A time zone field.
import { useId } from "react";

const ZONES = Intl.supportedValuesOf("timeZone");

/** The browser's time zone. */
export const findBrowserZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Zones have several names: `Asia/Calcutta` and `Asia/Kolkata` are the same. */
export function isSameZone(zone: string, otherZone: string): boolean {
  const canonical = (name: string) => new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone;
  return canonical(zone) === canonical(otherZone);
}

export function ZoneField({ label, defaultValue, note }: { label: string; defaultValue: string; note?: string }) {
  const list = useId();
  return (
    <label className="field">
      <span>{label}</span>
      <input name="timezone" list={list} defaultValue={defaultValue} key={defaultValue} required />
      <datalist id={list}>
        {ZONES.map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
      {note !== undefined && <small>{note}</small>}
    </label>
  );
}
