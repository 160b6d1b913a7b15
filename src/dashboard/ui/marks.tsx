// Small elements that several pages share: a network, a state, an instant.
import type { ReactNode } from "react";
import { networkName } from "../../domain/network-name.ts";
import { useSession } from "../session.tsx";

/** A network's mark: the first letters of its name. */
export function Mark({ platform }: { platform: string }) {
  return (
    <span className="mark" aria-hidden="true" style={{ "--hue": computeHue(platform) }}>
      {networkName(platform).slice(0, 2)}
    </span>
  );
}

declare module "react" {
  interface CSSProperties {
    "--hue"?: number;
  }
}

/** Steps of a color wheel; twelve can be told apart. */
const HUES = 12;
function computeHue(platform: string): number {
  let sum = 0;
  for (const letter of platform) sum = (sum * 31 + letter.charCodeAt(0)) % 997;
  return (sum % HUES) * (360 / HUES);
}

/** How urgent a state is to a person. */
const TONES: Record<string, "good" | "bad" | "busy" | "warn"> = {
  published: "good",
  live: "good",
  handed_over: "good",
  connected: "good",
  enabled: "good",
  delivered: "good",
  failed: "bad",
  disabled: "bad",
  partially_published: "warn",
  retrying: "warn",
  at_risk: "warn",
  removed: "warn",
  needs_reconnect: "warn",
  awaiting_approval: "warn",
  not_connected: "warn",
  publishing: "busy",
  queued: "busy",
  scheduled: "busy",
};

export const plain = (word: string) => word.replaceAll("_", " ").replaceAll(".", ": ");

export function State({ of }: { of: string }) {
  return (
    <span className="state" data-tone={TONES[of] ?? "plain"}>
      {plain(of)}
    </span>
  );
}

/** Formats instants on the workspace's clock. */
export const useClock = () => getClock(useSession().workspace.timezone);

/** The clocks are kept, because creating a formatter takes a hundred times as long as using it. */
const clocks = new Map<string, ReturnType<typeof makeClock>>();
function getClock(timeZone: string) {
  const clock = clocks.get(timeZone) ?? makeClock(timeZone);
  clocks.set(timeZone, clock);
  return clock;
}

function makeClock(timeZone: string) {
  const day = new Intl.DateTimeFormat("en-GB", { weekday: "short", day: "numeric", month: "short", timeZone });
  const time = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", timeZone });
  const exact = new Intl.DateTimeFormat("en-GB", {
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    fractionalSecondDigits: 3,
    timeZone,
  });
  const toDate = (iso: string) => new Date(iso);
  return {
    zone: zoneName(timeZone),
    day: (iso: string) => day.format(toDate(iso)),
    time: (iso: string) => time.format(toDate(iso)),
    full: (iso: string) => `${day.format(toDate(iso))}, ${time.format(toDate(iso))}`,
    exact: (iso: string) => `${day.format(toDate(iso))}, ${exact.format(toDate(iso))}`,
  };
}

/** A short name for `America/New_York`. */
export const zoneName = (timezone: string) => (timezone.split("/").pop() ?? timezone).replaceAll("_", " ");

export function Instant({ at, exact = false }: { at: string; exact?: boolean }) {
  const clock = useClock();
  return (
    <time dateTime={at} title={`${at} · ${clock.zone}`}>
      {exact ? clock.exact(at) : clock.full(at)}
    </time>
  );
}

/** A button that says why it is disabled. */
export function Able({ why, children }: { why: string | null; children: (disabled: boolean) => ReactNode }) {
  if (why === null) return children(false);
  return (
    <span className="unable" title={why}>
      {children(true)}
      <small>{why}</small>
    </span>
  );
}
