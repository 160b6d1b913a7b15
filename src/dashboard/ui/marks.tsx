// Small elements that several pages share: a state, a stamp, an instant.
import type { ReactNode } from "react";
import { useSession } from "../session.tsx";
import { getClock } from "../words/dates.ts";
import { nameState } from "../words/states.ts";

type Tone = "live" | "failed" | "scheduled" | "waiting" | "draft";

/** How urgent a state is to a person. States that are not listed are as quiet as a draft. */
const TONES: Record<string, Tone> = {
  published: "live",
  live: "live",
  handed_over: "live",
  connected: "live",
  enabled: "live",
  delivered: "live",
  approved: "live",
  failed: "failed",
  disabled: "failed",
  partially_published: "waiting",
  retrying: "waiting",
  at_risk: "waiting",
  removed: "waiting",
  needs_reconnect: "waiting",
  awaiting_approval: "waiting",
  not_connected: "waiting",
  publishing: "scheduled",
  queued: "scheduled",
  scheduled: "scheduled",
};

/** A shape for each tone, so that a state can be told without its colour. */
const SHAPES: Record<Tone, string> = {
  live: "M3 8.5l3.2 3.2L13 5",
  failed: "M8 4v5M8 12h.01",
  scheduled: "M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11zM8 5.5V8l1.8 1.2",
  waiting: "M6 4v8M10 4v8",
  draft: "M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11z",
};

const Shape = ({ tone }: { tone: Tone }) => (
  <svg viewBox="0 0 16 16" aria-hidden="true" strokeDasharray={tone === "draft" ? "2.5 2.5" : undefined}>
    <path d={SHAPES[tone]} />
  </svg>
);

/** The shape of a state without its word, for example on a chip. */
export const StateShape = ({ of }: { of: string }) => {
  const tone = TONES[of] ?? "draft";
  return (
    <span className="state-shape" data-tone={tone} aria-hidden="true">
      <Shape tone={tone} />
    </span>
  );
};

/** A state in a pill, with its shape. */
export function State({ of }: { of: string }) {
  const tone = TONES[of] ?? "draft";
  return <Pill tone={tone}>{nameState(of)}</Pill>;
}

/** A pill for a state that is no word of the API, for example "2 failed". */
export const Pill = ({ tone, children }: { tone: Tone; children: ReactNode }) => (
  <span className="state" data-tone={tone}>
    <Shape tone={tone} />
    {children}
  </span>
);

/** A label that people gave to a post. It is no state. */
export const Label = ({ name }: { name: string }) => <span className="state label">{name}</span>;

/** The signature on a live post: when it was last seen unchanged on its network, or when it went live. */
export function Stamp({ word, at }: { word: "Verified" | "Live"; at: string }) {
  const clock = useClock();
  return (
    <span className="stamp">
      <svg viewBox="0 0 16 16" aria-hidden="true">
        <path d={SHAPES.live} />
      </svg>
      <span>
        {word}{" "}
        <time dateTime={at} title={clock.full(at)}>
          {clock.time(at)}
        </time>
      </span>
    </span>
  );
}

/** Formats instants on the workspace's clock. */
export const useClock = () => getClock(useSession().workspace.timezone);

/** An instant as people say it; `exact`: to the millisecond. */
export function Instant({ at, exact = false }: { at: string; exact?: boolean }) {
  const clock = useClock();
  return (
    <time dateTime={at} title={`${clock.exact(at)}, ${clock.zone} time`}>
      {exact ? clock.exact(at) : clock.friendly(at)}
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
