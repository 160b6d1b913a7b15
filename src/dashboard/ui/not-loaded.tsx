// The message that replaces a page whose file could not be loaded.
import { useEffect, useState } from "react";
import { Page } from "./page.tsx";
import { Loading } from "./states.tsx";

/** The address that was last reloaded because a release had removed its files. */
const RELOADED = "crier:reloaded";

/** Whether the service answers at this address with any status. */
const isReachable = (): Promise<boolean> =>
  fetch(location.href, { method: "HEAD", cache: "no-store", redirect: "manual" }).then(
    () => true,
    () => false,
  );

type Reason = "unreachable" | "gone";

/** Finds out why the file is missing. A new release has other files, so the page is reloaded, once for each address. */
async function findReason(): Promise<Reason | "reloading"> {
  if (!(await isReachable())) return "unreachable";
  if (sessionStorage.getItem(RELOADED) === location.href) return "gone";
  sessionStorage.setItem(RELOADED, location.href);
  location.reload();
  return "reloading";
}

/** Checks once more whether the service answers, and reloads the page only if it does. */
async function reloadIfReachable(): Promise<void> {
  if (await isReachable()) location.reload();
}

export function NotLoaded() {
  const [reason, setReason] = useState<Reason | null>(null);
  useEffect(() => {
    let isGone = false;
    void findReason().then((foundReason) => {
      if (!isGone && foundReason !== "reloading") setReason(foundReason);
    });
    const reload = () => void reloadIfReachable();
    window.addEventListener("online", reload);
    return () => {
      isGone = true;
      window.removeEventListener("online", reload);
    };
  }, []);
  if (reason === null) return <Loading what="The page" />;
  return (
    <Page title={reason === "unreachable" ? "This page is not loaded yet" : "This page cannot be shown"}>
      <div className="alert" role="alert">
        <p>
          {reason === "unreachable"
            ? "Crier cannot be reached. The page opens automatically when you are back online. Pages that you opened before still work."
            : "Part of this page is missing. Text that you have not sent yet is kept in this browser."}
        </p>
        <button type="button" onClick={() => void reloadIfReachable()}>
          Try again
        </button>
      </div>
    </Page>
  );
}
