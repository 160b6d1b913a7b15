import { useSay } from "./toasts.tsx";

/** Copies a text, and says whether it did. `what`: its name, as a sentence begins. */
export function useCopy(what: string): (text: string) => Promise<void> {
  const say = useSay();
  return async (text) => {
    try {
      await navigator.clipboard.writeText(text);
      say(`${what} is copied`);
    } catch {
      say("The browser did not allow copying. Select it and copy it yourself.");
    }
  };
}
