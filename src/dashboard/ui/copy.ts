import { useSay } from "./toasts.tsx";

/** Copies a text, and reports the result. `label`: the text's name, as the start of a sentence. */
export function useCopy(label: string): (text: string) => Promise<void> {
  const say = useSay();
  return async (text) => {
    try {
      await navigator.clipboard.writeText(text);
      say(`${label} copied`);
    } catch {
      say("Your browser blocked copying. Select the text and copy it yourself.");
    }
  };
}
