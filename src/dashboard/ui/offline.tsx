// Without a network: said once, at the top, and no link throws the app away.
import { onlineManager, useMutationState } from "@tanstack/react-query";
import { useEffect, useSyncExternalStore } from "react";
import { useSay } from "./toasts.tsx";

/** Whether the browser has a network. */
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
            <strong>You are offline.</strong> What you see may be out of date. Text that you write is kept in this
            browser.
            {waiting > 0 && " What you asked for is done when you are back online."}
          </span>
        </p>
      )}
      {!isOnline && <KeepApp />}
    </div>
  );
}

/** A link that leaves the app would show the browser's error page in its place. */
function KeepApp() {
  const say = useSay();
  useEffect(() => {
    const stay = (event: MouseEvent) => {
      const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>("a[href]") : null;
      // The app's own links have been followed by now, and are marked as handled.
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
