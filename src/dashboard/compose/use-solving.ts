// Carries out the fixes of problems: changes the draft, or brings the person to the place where they can solve them.
import { useEffect, useState } from "react";
import { useLocation } from "wouter";
import type { Fix } from "../words/violation-words.ts";
import type { Draft } from "./draft.ts";
import { applyFix, findFileAt } from "./fixing.ts";
import { locateViolation } from "./violations.ts";
import { pickTime } from "./when-field.tsx";
import { toTextId } from "./writing-focus.ts";

interface Solver {
  draft: Draft;
  setDraft(change: (now: Draft) => Draft): void;
  /** Opens the tab of a channel; null: the tab of all channels. */
  openTab(channel: string | null): void;
  crop(file: string, ratio: number): void;
}

const FIELDS = "input, select, textarea, button";
const findOptionField = (channel: string, option: string) =>
  `[data-option="${CSS.escape(`${channel}/${option}`)}"] :is(${FIELDS})`;

export function useSolving({ draft, setDraft, openTab, crop }: Solver): (fix: Fix) => void {
  const [, go] = useLocation();
  /** An element that appears with the next tab. */
  const [awaited, setAwaited] = useState<string | null>(null);
  useEffect(() => {
    if (awaited === null) return;
    document.querySelector<HTMLElement>(awaited)?.focus();
    setAwaited(null);
  }, [awaited]);
  /** Opens the file picker of the list of files that a JSON pointer names. */
  function addFilesTo(list: string): void {
    const button = `[data-add-files="${CSS.escape(list)}"]`;
    const shown = document.querySelector<HTMLElement>(button);
    if (shown !== null) {
      shown.click();
      return;
    }
    const spot = locateViolation({ field: list, code: "invalid_field", message: "" });
    openTab(spot.at === "own" ? spot.channel : null);
    setAwaited(button);
  }
  return (fix) => {
    if (applyFix(draft, fix) !== null) setDraft((now) => applyFix(now, fix) ?? now);
    switch (fix.kind) {
      case "edit_for":
        openTab(fix.channel);
        return setAwaited(`#${CSS.escape(toTextId(fix.channel))}`);
      case "choose": {
        const field = findOptionField(fix.channel, fix.option);
        if (document.querySelector(field) === null) openTab(fix.channel);
        return setAwaited(field);
      }
      case "reconnect":
        return go("/channels");
      case "crop": {
        const file = findFileAt(draft, fix.field);
        return file === undefined ? undefined : crop(file, fix.ratio);
      }
      case "edit_alt_text":
        return setAwaited(`[data-alt="${CSS.escape(findFileAt(draft, fix.field) ?? "")}"]`);
      case "add_file":
        return addFilesTo(fix.field);
      case "replace_file":
        return addFilesTo(fix.field.replace(/\/\d+$/, ""));
      case "pick_time":
        return pickTime();
      case "choose_channels":
        return setAwaited(".account-strip input");
      default:
    }
  };
}
