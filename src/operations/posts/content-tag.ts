// Computes the tag that binds a decision to the content of a post. Posts with equal tags have the same texts and options and, if all
// their files have arrived, the same bytes.
import { sha256 } from "../../adapters/digest.ts";
import { base64Url } from "../../domain/encoding.ts";
import { canonicalJson } from "../../domain/json.ts";
import type { MediaRow } from "../../store/media/media.ts";
import type { postFields } from "./post-fields.ts";

type Content = Pick<ReturnType<typeof postFields>, "text" | "media" | "thread" | "channels" | "overrides">;

/** The tag of a post's content. `files`: the rows of all its files. A file without an inspection counts by its id alone. */
export async function tagOfContent(content: Content, postType: string | null, files: MediaRow[]): Promise<string> {
  const { text, media, thread, channels, overrides } = content;
  const hashes = Object.fromEntries(files.map(({ id, etag }) => [id, etag]));
  const json = canonicalJson({ text, media, thread, channels, overrides, postType, hashes });
  return base64Url(await sha256(json));
}
