// Alt texts while they are being typed. The browser keeps each one until the service has it. A text is sent after a pause,
// when its field loses focus, when its page is left, and before its post is sent.
import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useRef, useSyncExternalStore } from "react";
import { Refusal } from "../client/errors.ts";
import { repeatReads } from "./repeat-reads.ts";
import { useSession } from "./session.tsx";

/** Long enough to avoid a request per keystroke. */
const PAUSE_MS = 600;

interface Typed {
  /** Text that the service does not have yet. */
  text?: string;
  /** Why the service rejected it. */
  error?: unknown;
  /** Text that the service accepted but the page has not read again yet. */
  sent?: string;
  saved?: boolean;
}
interface Service {
  send(id: string, text: string): Promise<void>;
  /** Reloads the data that show the text. */
  refresh(): Promise<void>;
}

const NOTHING: Typed = {};
const texts = new Map<string, Typed>();
const timers = new Map<string, ReturnType<typeof setTimeout>>();
const underWay = new Map<string, Promise<void>>();
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function typedAt(place: string): Typed {
  const knownText = texts.get(place);
  if (knownText !== undefined) return knownText;
  const storedText = localStorage.getItem(place);
  const typed = storedText === null ? NOTHING : { text: storedText };
  texts.set(place, typed);
  return typed;
}

function change(place: string, typed: Typed): void {
  texts.set(place, typed);
  try {
    if (typed.text === undefined) localStorage.removeItem(place);
    else localStorage.setItem(place, typed.text);
  } catch {
    // If browser storage is unavailable, the text lives as long as the page.
  }
  for (const listener of listeners) listener();
}

/** Sends the last typed text, after any request in progress. Throws the service's error. */
function settle(place: string, id: string, service: Service): Promise<void> {
  clearTimeout(timers.get(place));
  const before = underWay.get(place) ?? Promise.resolve();
  const settled = before
    .catch(() => {})
    .then(async () => {
      const { text } = typedAt(place);
      if (text === undefined) return;
      try {
        await service.send(id, text);
        if (typedAt(place).text !== text) return;
        change(place, { sent: text });
        void service.refresh().then(() => typedAt(place).sent === text && change(place, { saved: true }));
      } catch (error) {
        // The file was deleted, and its text with it.
        if (error instanceof Refusal && error.status === 404) return change(place, NOTHING);
        change(place, { ...typedAt(place), error });
        throw error;
      }
    });
  underWay.set(place, settled);
  return settled;
}

/** Stores and sends the alt texts of the open workspace. */
function useSending() {
  const { client, workspace } = useSession();
  const queries = useQueryClient();
  const service: Service = {
    async send(id, text) {
      const alt = text.trim() === "" ? null : text;
      await client.call("media.describe", { params: { id }, body: { alt } });
    },
    async refresh() {
      const keys = ["media", "dry-run"];
      await Promise.all(keys.map((key) => repeatReads(queries, [workspace.id, key])));
    },
  };
  const latest = useRef(service);
  latest.current = service;
  const { id: workspaceId } = workspace;
  return useMemo(() => {
    const getStorageKey = (id: string) => `crier:alt:${workspaceId}:${id}`;
    return { placeOf: getStorageKey, settle: (id: string) => settle(getStorageKey(id), id, latest.current) };
  }, [workspaceId]);
}

/** Sends the unsent texts of some files. Throws if the service rejects one of them. */
export function useSettledAltTexts(): (ids: readonly string[]) => Promise<void> {
  const { settle } = useSending();
  return async (ids) => {
    await Promise.all([...new Set(ids)].map(settle));
  };
}

/** The alt text field of one file. `alt`: the service's value; undefined while it is unknown. */
export function useAltText(id: string, alt: string | null | undefined) {
  const { placeOf, settle } = useSending();
  const place = placeOf(id);
  const typed = useSyncExternalStore(subscribe, () => typedAt(place));
  const send = useCallback(() => {
    settle(id).catch(() => {});
  }, [id, settle]);
  useEffect(() => {
    // Sends text that was typed before the page was closed.
    send();
    addEventListener("pagehide", send);
    return () => {
      removeEventListener("pagehide", send);
      send();
    };
  }, [send]);
  return {
    text: typed.text ?? typed.sent ?? alt ?? "",
    error: typed.error,
    isSaved: typed.saved === true,
    send,
    type(text: string) {
      change(place, { text });
      clearTimeout(timers.get(place));
      timers.set(place, setTimeout(send, PAUSE_MS));
    },
    /** Restores the service's value. */
    takeBack: () => change(place, NOTHING),
  };
}
