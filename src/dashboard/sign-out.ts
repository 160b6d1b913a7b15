// Signs the user out.
import { useQueryClient } from "@tanstack/react-query";
import { describeError, expectSessionEnd, makeClient } from "./api.ts";
import { saveKept } from "./compose/save-kept.ts";
import { useSay } from "./ui/toasts.tsx";

const askToDiscard = (texts: number): string =>
  `${texts === 1 ? "A text that you were writing" : `${texts} texts that you were writing`} could not be saved as a draft. ` +
  "Signing out deletes it from this browser. Sign out anyway?";

export function useSignOut() {
  const queries = useQueryClient();
  const say = useSay();
  return async () => {
    const unsaved = await saveKept();
    if (unsaved > 0 && !confirm(askToDiscard(unsaved))) return;
    expectSessionEnd(true);
    try {
      await makeClient(null).call("accounts.sign-out");
      queries.clear();
      // On Back, a browser may show this page from its cache, so it is reloaded.
      addEventListener("pageshow", () => location.reload());
      location.assign("/");
    } catch (error) {
      expectSessionEnd(false);
      say(describeError(error));
    }
  };
}
