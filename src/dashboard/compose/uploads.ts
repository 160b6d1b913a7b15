// Uploads one file at a time. Each has a progress bar and can be stopped and retried.
import { useRef, useState } from "react";
import type { Client } from "../../client/client.ts";
import { Refusal } from "../../client/errors.ts";
import { upload } from "../../client/upload.ts";
import { detectContentType } from "../../domain/media/types.ts";
import { describeError } from "../api.ts";
import { drawFrame } from "../media/draw-frame.ts";
import { useSession } from "../session.tsx";
import { formatSeconds } from "../words/counts.ts";
import type { Place } from "./draft.ts";

export interface Uploading {
  key: string;
  file: File;
  place: Place;
  /** From 0 to 1. */
  progress: number;
  words: string | null;
  failed: boolean;
  stop: AbortController;
  /** The alt text that the file gets once it is uploaded. */
  alt: string | null;
}

/** Detects a file's type from its first bytes. Browsers guess it from the file name, and some do not know HEIC. */
const readType = async (file: File): Promise<string> =>
  detectContentType(new Uint8Array(await file.slice(0, 64).arrayBuffer())) ?? file.type;

/** Gives a video its thumbnail. Without one it is shown as an icon, so a failure says nothing. */
async function addPoster(client: Client, id: string, file: File): Promise<void> {
  const poster = await drawFrame(file);
  if (poster === null) return;
  await client.call("media.describe", { params: { id }, body: { poster } }).catch(() => {});
}

/** Uploads files one after another, in the order in which they were added. */
export function useUploads(add: (id: string, place: Place) => void) {
  const { client } = useSession();
  const [uploads, setUploads] = useState<Uploading[]>([]);
  const line = useRef(Promise.resolve());
  const give = useRef(add);
  give.current = add;
  const change = (key: string, patch: Partial<Uploading>) =>
    setUploads((current) => current.map((entry) => (entry.key === key ? { ...entry, ...patch } : entry)));
  const drop = (key: string) => setUploads((current) => current.filter((entry) => entry.key !== key));

  async function send({ key, file, place, stop, alt }: Uploading) {
    if (stop.signal.aborted) return;
    change(key, { failed: false, words: null, progress: 0 });
    try {
      const id = await upload({ ...client, signal: stop.signal }, file, {
        name: file.name,
        alt,
        contentType: await readType(file),
        progress: {
          sent: (bytes) => change(key, { progress: bytes / file.size, words: null }),
          again: (_, waitMs) =>
            change(key, { words: `Connection lost. Trying again in ${formatSeconds(Math.round(waitMs / 1_000))}.` }),
        },
      });
      drop(key);
      if (file.type.startsWith("video/")) await addPoster(client, id, file);
      give.current(id, place);
    } catch (error) {
      if (stop.signal.aborted) return;
      const words = error instanceof Refusal ? describeError(error) : "This file couldn't be uploaded.";
      change(key, { failed: true, words });
    }
  }
  const enqueue = (entry: Uploading) => {
    line.current = line.current.then(() => send(entry));
  };

  return {
    uploads,
    add(files: Iterable<File>, place: Place, alt: string | null = null) {
      const fresh = [...files].map((file) => ({
        key: crypto.randomUUID(),
        file,
        place,
        progress: 0,
        words: null,
        failed: false,
        stop: new AbortController(),
        alt,
      }));
      setUploads((current) => [...current, ...fresh]);
      for (const entry of fresh) enqueue(entry);
    },
    again: enqueue,
    cancel({ key, stop }: Uploading) {
      stop.abort(new Error("cancelled"));
      drop(key);
    },
  };
}
export type Uploads = ReturnType<typeof useUploads>;
