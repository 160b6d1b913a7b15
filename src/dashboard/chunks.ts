// Each page is a separate file. It is loaded when it is opened, or earlier while the browser is idle, so that it also opens
// offline.
import { type ComponentType, lazy } from "react";

/** The file of a page could not be loaded: the browser is offline, or a release has replaced the file. */
export class ChunkNotLoaded extends Error {
  override name = "ChunkNotLoaded";
}

const loads: (() => Promise<unknown>)[] = [];

/**
 * A component in a separate file. A failed load is not retried, because the build's loader does not request the styles of a
 * file a second time; the page is reloaded instead (`ui/not-loaded.tsx`). `paths`: the addresses of a page. The file of the page at
 * which the browser opens is requested at once, not only when the session is known.
 */
export function lazyChunk<Props extends object>(load: () => Promise<ComponentType<Props>>, paths?: RegExp) {
  let loading: Promise<{ default: ComponentType<Props> }> | null = null;
  const loadOnce = () => {
    loading ??= load().then(
      (component) => ({ default: component }),
      (error: unknown) => {
        throw new ChunkNotLoaded("Part of Crier could not be loaded.", { cause: error });
      },
    );
    return loading;
  };
  loads.push(loadOnce);
  // A failure is shown when the page is rendered.
  if (paths?.test(location.pathname)) void loadOnce().catch(() => {});
  return lazy(loadOnce);
}

/** For browsers without `requestIdleCallback` (Safari): long enough for the current page to load. */
const SETTLED_MS = 2_000;

const whenIdle = (act: () => void): void => {
  if ("requestIdleCallback" in window) window.requestIdleCallback(act);
  else setTimeout(act, SETTLED_MS);
};

/** Loads all chunks, one after another, while the browser is idle. */
export function preloadChunks(): void {
  const remaining = [...loads];
  const loadNext = () => {
    const load = remaining.shift();
    if (load === undefined) return;
    // After a failure the others would fail too, so each is loaded when it is opened.
    whenIdle(() => void load().then(loadNext, () => {}));
  };
  loadNext();
}
