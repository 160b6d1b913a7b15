// Photos are uploaded unpublished, so that a separate call publishes them.
import * as z from "zod";
import type { Rejected, Retryable, Unauthorized } from "../../domain/delivery/outcome.ts";
import type { MediaFile } from "../media-file.ts";
import type { ConnectorContext } from "../network.ts";
import { post, readSuccess } from "./api.ts";
import { fileFailure } from "./errors.ts";
import type { Credential, Step } from "./rule.ts";

export type Photos = Step<"photos">["photos"];

const Uploaded = z.object({ id: z.string().min(1) });
/** The network fetches the file before it answers. */
const FETCH_TIMEOUT_MS = 90_000;

/** Makes the network fetch each file, except those of `done`. Each photo is a checkpoint. */
export async function uploadPhotos(
  files: MediaFile[],
  { credential, io }: ConnectorContext<Credential>,
  earlierPhotos: Photos,
  save: (publishKey: Step<"photos">) => Promise<void>,
): Promise<{ photos: Photos } | Retryable | Rejected | Unauthorized> {
  const photos: Photos = [];
  for (const file of files) {
    let photo = earlierPhotos.find((earlierPhoto) => earlierPhoto.file === file.id);
    if (photo === undefined) {
      const body = { url: file.url, published: false, alt_text_custom: file.alt ?? undefined };
      const path = `/${credential.page_id}/photos`;
      const answer = await post(io, credential.page_token, path, body, FETCH_TIMEOUT_MS);
      const uploaded = readSuccess(answer, Uploaded);
      if (uploaded === undefined) return fileFailure(file, answer, io.now());
      photo = { file: file.id, id: uploaded.id };
      await save({ step: "photos", photos: [...photos, photo] });
    }
    photos.push(photo);
  }
  return { photos };
}
