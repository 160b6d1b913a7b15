// The end of a session, asked for by its person.
import { useQueryClient } from "@tanstack/react-query";
import { clientOf, wordsOf } from "./api.ts";
import { useSay } from "./ui/toasts.tsx";

export function useSignOut() {
  const queries = useQueryClient();
  const say = useSay();
  return async () => {
    try {
      await clientOf(null).call("accounts.sign-out");
      queries.clear();
      location.assign("/");
    } catch (error) {
      say(wordsOf(error).message);
    }
  };
}
