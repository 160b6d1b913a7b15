// The end of a session, asked for by its person.
import { useQueryClient } from "@tanstack/react-query";
import { clientOf, expectSessionEnd, wordsOf } from "./api.ts";
import { useSay } from "./ui/toasts.tsx";

export function useSignOut() {
  const queries = useQueryClient();
  const say = useSay();
  return async () => {
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
