// The problems that this person has put aside, in this browser.
import { useSyncExternalStore } from "react";
import { useSession } from "../session.tsx";

const KEY = "crier:done";
const KEYS_MAX = 100;
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}

/** A problem that happens again has another key. */
export function usePutAside() {
  const { workspace } = useSession();
  const place = `${KEY}:${workspace.id}`;
  const read = () => localStorage.getItem(place) ?? "";
  const keys = useSyncExternalStore(subscribe, read).split(" ");
  return {
    isPutAside: (key: string) => keys.includes(key),
    putAside(key: string) {
      localStorage.setItem(place, [...read().split(" "), key].slice(-KEYS_MAX).join(" "));
      for (const listener of listeners) listener();
    },
  };
}
