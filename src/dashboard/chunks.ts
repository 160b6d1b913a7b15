// Pages are files of their own. Each is loaded when it is opened, or before that while the browser is idle, so that it opens
// without a network too.
import { type ComponentType, lazy } from "react";

/** The file of a page could not be loaded: there is no network, or a release has replaced the file. */
export class ChunkNotLoaded extends Error {
  override name = "ChunkNotLoaded";
}

const loads: (() => Promise<unknown>)[] = [];

/**
 * A component in a file of its own. A load that failed is not repeated: the build's loader does not ask for the styles of a
 * file a second time, so the page is reloaded instead (`ui/not-loaded.tsx`).
 */
export function lazyChunk<Props extends object>(load: () => Promise<ComponentType<Props>>) {
  let loading: Promise<{ default: ComponentType<Props> }> | null = null;
  const loadOnce = () => {
    loading ??= load().then(
      (component) => ({ default: component }),
      (error: unknown) => {
        throw new ChunkNotLoaded("A part of Crier could not be loaded.", { cause: error });
      },
    );
    return loading;
  };
  loads.push(loadOnce);
  return lazy(loadOnce);
}

/** Where browsers have no `requestIdleCallback` (Safari): long enough for the page that is open. */
const SETTLED_MS = 2_000;

const whenIdle = (act: () => void): void => {
  if ("requestIdleCallback" in window) window.requestIdleCallback(act);
  else setTimeout(act, SETTLED_MS);
};

/** Loads all chunks, one after another, while the browser has nothing else to do. */
export function preloadChunks(): void {
  const remaining = [...loads];
  const loadNext = () => {
    const load = remaining.shift();
    if (load === undefined) return;
    // After a failure the others would fail as well: each is loaded when it is opened.
    whenIdle(() => void load().then(loadNext, () => {}));
  };
  loadNext();
}
