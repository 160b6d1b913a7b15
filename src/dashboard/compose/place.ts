// Where a tab keeps what is written in it. Two tabs that write the same kind of thing do not take each other's text away.
import { useEffect, useState } from "react";
import { useSession } from "../session.tsx";
import { readKept } from "./kept.ts";

/** Its own tab's place is free as soon as the page before has ended; another one's when that tab is closed or has crashed. */
const OWN_WAIT_MS = 1_000;
const OTHERS_WAIT_MS = 250;
const PLACES_MAX = 20;

/** Holds a place until `done`; false: another tab has it. */
const hold = (place: string, waitMs: number, done: Promise<void>): Promise<boolean> =>
  new Promise((settle) => {
    navigator.locks
      .request(place, { signal: AbortSignal.timeout(waitMs) }, () => {
        settle(true);
        return done;
      })
      .catch(() => settle(false));
  });

/** The one that this tab had, else one where a text waits for somebody to go on, else a free one. */
async function takePlace(first: string, done: Promise<void>): Promise<string> {
  // Browsers have no locks for pages that are not secure.
  if (!("locks" in navigator)) return first;
  const places = Array.from({ length: PLACES_MAX }, (_, i) => (i === 0 ? first : `${first}:${i + 1}`));
  const own = sessionStorage.getItem(first);
  const hasText = (place: string) => readKept(place) !== null;
  if (own !== null && hasText(own) && (await hold(own, OWN_WAIT_MS, done))) return own;
  for (const place of [...places.filter(hasText), ...places.filter((place) => !hasText(place))]) {
    if (await hold(place, OTHERS_WAIT_MS, done)) {
      sessionStorage.setItem(first, place);
      return place;
    }
  }
  return first;
}

/** `what`: the id of a post that is edited, or a new one. null: not known yet. */
export function usePlace(what: string): string | null {
  const { workspace } = useSession();
  const first = `crier:compose:${workspace.id}:${what}`;
  const [taken, setTaken] = useState<{ first: string; place: string } | null>(null);
  useEffect(() => {
    let leave = () => {};
    let isLeft = false;
    const left = new Promise<void>((settle) => {
      leave = settle;
    });
    void takePlace(first, left).then((place) => {
      if (!isLeft) setTaken({ first, place });
    });
    return () => {
      isLeft = true;
      leave();
    };
  }, [first]);
  return taken?.first === first ? taken.place : null;
}
