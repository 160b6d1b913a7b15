// A time zone field: a search among the zones by city or region.
import { useState } from "react";
import { formatZone, getClock } from "../words/dates.ts";
import { Combobox } from "./combobox.tsx";

/** The browser's time zone. */
export const findBrowserZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Zones have several names: `Asia/Calcutta` and `Asia/Kolkata` are the same. */
export function isSameZone(zone: string, otherZone: string): boolean {
  const canonical = (name: string) => new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone;
  return canonical(zone) === canonical(otherZone);
}

const ZONES = Intl.supportedValuesOf("timeZone");
const toOption = (zone: string) => ({
  value: zone,
  name: formatZone(zone),
  note: zone.includes("/") ? zone.slice(0, zone.lastIndexOf("/")).replaceAll("_", " ") : "",
});

interface ZoneFieldProps {
  label: string;
  defaultValue: string;
  note?: string;
}

export function ZoneField({ label, defaultValue, note = "" }: ZoneFieldProps) {
  const [zone, setZone] = useState(defaultValue);
  // A zone can be stored under a name that this browser does not list.
  const zones = [...new Set([...ZONES, "UTC", defaultValue])].map(toOption);
  const now = getClock(zone).time(new Date().toISOString());
  return (
    <Combobox
      label={label}
      name="timezone"
      options={zones}
      selected={zone}
      onChoose={setZone}
      note={`It is ${now} there now. ${note}`.trim()}
    />
  );
}
