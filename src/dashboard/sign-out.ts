// The end of a session, asked for by its person.
import { useQueryClient } from "@tanstack/react-query";
import { clientOf, expectSessionEnd, wordsOf } from "./api.ts";
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
      await clientOf(null).call("accounts.sign-out");
      queries.clear();
      // A browser may show this page again as it was, on Back: it is loaded anew then.
      addEventListener("pageshow", () => location.reload());
      location.assign("/");
    } catch (error) {
      expectSessionEnd(false);
      say(wordsOf(error).message);
    }
  };
}
