// The accounts to choose from while a mention is being typed, where the network has a look-up.
import { type KeyboardEvent, type SyntheticEvent, useEffect, useState } from "react";
import { networkName } from "../../domain/network-name.ts";
import { useRead } from "../reads.ts";
import type { Channel, Rule } from "../types.ts";
import { findTypedMention, insertMention } from "./mention.ts";

/** The channel that is asked for accounts. */
export interface MentionSource {
  channel: string;
  /** The network's name. */
  network: string;
}

/** How long a person pauses before the network is asked. */
const PAUSE_MS = 250;
const SHOWN_MAX = 6;

/** The value once it has not changed for a while. */
function useSettled(value: string | null): string | null {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}

export interface Mentions {
  isOpen: boolean;
  isLoading: boolean;
  options: { value: string; label: string; description: string | null }[];
  /** The position of the marked option. */
  marked: number;
  choose(position: number): void;
  mark(position: number): void;
  onSelect(event: SyntheticEvent<HTMLTextAreaElement>): void;
  onKeyDown(event: KeyboardEvent<HTMLTextAreaElement>): void;
  onBlur(): void;
}

export function useMentions(
  source: MentionSource | null,
  { text, fieldId, onChange }: { text: string; fieldId: string; onChange(text: string): void },
): Mentions {
  /** null: the field has no focus. */
  const [cursor, setCursor] = useState<number | null>(null);
  const [marked, setMarked] = useState(0);
  /** The start of a mention that the person does not want to look up. */
  const [dismissed, setDismissed] = useState<number | null>(null);
  const typed = source === null || cursor === null ? null : findTypedMention(text, cursor);
  const isAsked = typed !== null && typed.start !== dismissed;
  const name = useSettled(isAsked ? typed.name : null);
  const found = useRead(
    ["options", source?.channel, "mention", name],
    async (client, signal) => {
      const query = { limit: SHOWN_MAX, ...(name === null || name === "" ? {} : { q: name }) };
      const params = { id: source?.channel ?? "", option: "mention" };
      return (await client.call("channels.options", { params, query, signal })).body.options;
    },
    { when: source !== null && name !== null, keep: true },
  );
  const options = (isAsked ? (found.data ?? []) : []).filter(({ disabled_reason: reason }) => reason === null);
  const isLoading = isAsked && !found.isError && (found.isFetching || name !== typed.name);
  const choose = (position: number) => {
    const option = options[position];
    if (typed === null || option === undefined) return;
    const next = insertMention(text, typed, option.value);
    onChange(next.text);
    setCursor(next.cursor);
    setMarked(0);
    requestAnimationFrame(() => {
      const field = document.getElementById(fieldId);
      if (!(field instanceof HTMLTextAreaElement)) return;
      field.focus();
      field.setSelectionRange(next.cursor, next.cursor);
    });
  };
  return {
    isOpen: isAsked && (options.length > 0 || isLoading || found.data !== undefined),
    isLoading,
    options,
    marked: Math.min(marked, Math.max(0, options.length - 1)),
    choose,
    mark: setMarked,
    onSelect({ currentTarget: { selectionStart, selectionEnd } }) {
      setCursor(selectionStart === selectionEnd ? selectionEnd : null);
    },
    onBlur: () => setCursor(null),
    onKeyDown(event) {
      if (!isAsked || event.nativeEvent.isComposing) return;
      const acts: Record<string, () => void> = {
        Escape: () => setDismissed(typed.start),
        ...(options.length === 0
          ? {}
          : {
              ArrowDown: () => setMarked((marked + 1) % options.length),
              ArrowUp: () => setMarked((marked + options.length - 1) % options.length),
              Enter: () => choose(marked),
              Tab: () => choose(marked),
            }),
      };
      const act = acts[event.key];
      if (act === undefined) return;
      event.preventDefault();
      act();
    },
  };
}

/** The look-up of a channel; null: its network has none. */
export const findMentionSource = ({ id, platform, connected }: Channel, rule: Rule): MentionSource | null =>
  rule.text_lookup === undefined || !connected ? null : { channel: id, network: networkName(platform) };

/** The look-up of a text that several channels share. How a mention is written differs, so only channels of one network have one. */
export function findSharedSource(
  channels: readonly Channel[],
  findRule: (platform: string) => Rule | undefined,
): MentionSource | null {
  const [first] = channels;
  if (first === undefined || channels.some(({ platform }) => platform !== first.platform)) return null;
  const rule = findRule(first.platform);
  return rule === undefined ? null : findMentionSource(first, rule);
}
