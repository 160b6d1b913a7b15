// Carries out the fixes of problems: changes the draft, or brings the person to the place where they can solve them.
import { useEffect, useState } from "react";
import { useLocation } from "wouter";
import type { Fix } from "../words/violation-words.ts";
import { toTextId } from "./channel-panel.tsx";
import type { Draft } from "./draft.ts";
import { applyFix, findFileAt } from "./fixing.ts";
import type { Violation } from "./violations.ts";
import { pickTime } from "./when-field.tsx";

interface Solver {
  draft: Draft;
  violations: readonly Violation[];
  setDraft(change: (now: Draft) => Draft): void;
  /** Opens the tab of a channel; null: the tab of all channels. */
  openTab(channel: string | null): void;
  crop(file: string, ratio: number): void;
}

const FIELDS = "input, select, textarea, button";
const findOptionField = (channel: string, option: string) =>
  `[data-option="${CSS.escape(`${channel}/${option}`)}"] :is(${FIELDS})`;

export function useSolving({ draft, violations, setDraft, openTab, crop }: Solver): (fix: Fix) => void {
  const [, go] = useLocation();
  /** An element that appears with the next tab. */
  const [awaited, setAwaited] = useState<string | null>(null);
  useEffect(() => {
    if (awaited === null) return;
    document.querySelector<HTMLElement>(awaited)?.focus();
    setAwaited(null);
  }, [awaited]);
  const pressAddFiles = () => document.querySelector<HTMLElement>("[data-add-files]")?.click();
  return (fix) => {
    const changed = applyFix(draft, fix, violations);
    if (changed !== null) setDraft((now) => applyFix(now, fix, violations) ?? now);
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
        return pressAddFiles();
      case "replace_file":
        return fix.field.startsWith("/media") ? pressAddFiles() : undefined;
      case "pick_time":
        return pickTime();
      case "choose_channels":
        return setAwaited(".account-strip input");
      default:
    }
  };
}
