// The storage key of a tab's draft. Two tabs that write the same kind of post never overwrite each other.
import { useEffect, useState } from "react";
import { useSession } from "../session.tsx";
import { readKept } from "./kept.ts";

/**
 * How long to wait for a key. A tab's own key becomes free as soon as the tab's previous page has ended. A key of another tab
 * becomes free only when that tab is closed or crashes, so the wait for it is shorter.
 */
const OWN_WAIT_MS = 1_000;
const OTHERS_WAIT_MS = 250;
const PLACES_MAX = 20;

/** Holds a key until `completion` settles. Resolves with false if another tab holds the key. */
const hold = (place: string, waitMs: number, completion: Promise<void>): Promise<boolean> =>
  new Promise((settle) => {
    navigator.locks
      .request(place, { signal: AbortSignal.timeout(waitMs) }, () => {
        settle(true);
        return completion;
      })
      .catch(() => settle(false));
  });

/** Takes the key that this tab had before, otherwise a key with an abandoned draft, otherwise a free key. */
async function takePlace(first: string, completion: Promise<void>): Promise<string> {
  // Browsers offer no locks to insecure pages.
  if (!("locks" in navigator)) return first;
  const places = Array.from({ length: PLACES_MAX }, (_, i) => (i === 0 ? first : `${first}:${i + 1}`));
  const ownPlace = sessionStorage.getItem(first);
  const hasText = (place: string) => readKept(place) !== null;
  if (ownPlace !== null && hasText(ownPlace) && (await hold(ownPlace, OWN_WAIT_MS, completion))) return ownPlace;
  for (const place of [...places.filter(hasText), ...places.filter((place) => !hasText(place))]) {
    if (await hold(place, OTHERS_WAIT_MS, completion)) {
      sessionStorage.setItem(first, place);
      return place;
    }
  }
  return first;
}

/** `subject`: the id of the edited post, or the kind of a new post. Returns null until a key has been taken. */
export function usePlace(subject: string): string | null {
  const { workspace } = useSession();
  const first = `crier:compose:${workspace.id}:${subject}`;
  const [takenPlace, setTaken] = useState<{ first: string; place: string } | null>(null);
  useEffect(() => {
    let leave = () => {};
    let isLeft = false;
    const departure = new Promise<void>((settle) => {
      leave = settle;
    });
    void takePlace(first, departure).then((place) => {
      if (!isLeft) setTaken({ first, place });
    });
    return () => {
      isLeft = true;
      leave();
    };
  }, [first]);
  return takenPlace?.first === first ? takenPlace.place : null;
}
