// Offline: shows one message at the top, and prevents links from leaving the app.
import { onlineManager, useMutationState } from "@tanstack/react-query";
import { useEffect, useSyncExternalStore } from "react";
import { useSay } from "./toasts.tsx";

export const useIsOnline = (): boolean =>
  useSyncExternalStore(
    (listener) => onlineManager.subscribe(listener),
    () => onlineManager.isOnline(),
  );

export function OfflineNotice() {
  const isOnline = useIsOnline();
  const waiting = useMutationState({ filters: { predicate: ({ state }) => state.isPaused } }).length;
  return (
    <div role="status" className="offline">
      {!isOnline && (
        <p className="note">
          <span>
            <strong>You are offline.</strong> This page may be out of date. Text that you write is kept in this browser.
            {waiting > 0 && " Your changes are saved when you are back online."}
          </span>
        </p>
      )}
      {!isOnline && <KeepApp />}
    </div>
  );
}

/** Blocks links that would leave the app, because the browser would show its error page instead. */
function KeepApp() {
  const say = useSay();
  useEffect(() => {
    const stay = (event: MouseEvent) => {
      const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>("a[href]") : null;
      // The app's own links have already been handled, and are marked as such.
      if (event.defaultPrevented || link === null || link.target !== "" || link.hash !== "" || link.download !== "")
        return;
      event.preventDefault();
      say("You are offline. This link works when you are back online.");
    };
    document.addEventListener("click", stay);
    return () => document.removeEventListener("click", stay);
  }, [say]);
  return null;
}
