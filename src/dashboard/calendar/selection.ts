// The posts that are selected in the calendar. A chip renders again only when its own post is selected or no longer is.
import { createContext, use, useMemo, useState, useSyncExternalStore } from "react";
import type { Entry } from "./entries.ts";

export interface Selection {
  ids: ReadonlySet<string>;
  has(id: string): boolean;
  subscribe(listener: () => void): () => void;
  set(ids: ReadonlySet<string>): void;
  /** Selects a post, or no longer. */
  toggle(id: string): void;
  /** Selects all posts between the last selected one and this one, as they are listed in `entries`. */
  extend(id: string, entries: readonly Entry[]): void;
}

function makeSelection(): Selection {
  const listeners = new Set<() => void>();
  let last: string | null = null;
  const selection: Selection = {
    ids: new Set(),
    has: (id) => selection.ids.has(id),
    subscribe(listener) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
    set(ids) {
      if (ids.size === 0 && selection.ids.size === 0) return;
      selection.ids = ids;
      for (const listener of listeners) listener();
    },
    toggle(id) {
      const ids = new Set(selection.ids);
      if (!ids.delete(id)) ids.add(id);
      last = id;
      selection.set(ids);
    },
    extend(id, entries) {
      const [from, to] = [
        entries.findIndex((entry) => entry.id === last),
        entries.findIndex((entry) => entry.id === id),
      ];
      if (from === -1 || to === -1) return selection.toggle(id);
      const between = entries.slice(Math.min(from, to), Math.max(from, to) + 1);
      selection.set(new Set([...selection.ids, ...between.map((entry) => entry.id)]));
    },
  };
  return selection;
}

const NOTHING = makeSelection();
export const SelectionContext = createContext<Selection>(NOTHING);

/** The selection of a calendar, and the selected ids. */
export function useSelection(): { selection: Selection; ids: ReadonlySet<string> } {
  const [selection] = useState(makeSelection);
  const ids = useSyncExternalStore(selection.subscribe, () => selection.ids);
  return useMemo(() => ({ selection, ids }), [selection, ids]);
}

/** Whether a post is selected. */
export function useIsSelected(id: string): boolean {
  const selection = use(SelectionContext);
  return useSyncExternalStore(selection.subscribe, () => selection.has(id));
}
