// Computes the tag that binds a decision to the content of a post. Posts with equal tags have the same texts and
// options and, if all their files have arrived, the same bytes.
import { sha256 } from "../../adapters/digest.ts";
import { base64Url } from "../../domain/encoding.ts";
import { canonicalJson } from "../../domain/json.ts";
import { approvedContent, type PostContent } from "../../domain/posts/post-fields.ts";
import type { SentFile } from "../../domain/posts/sent-file.ts";
import type { MediaRow } from "../../store/media/media.ts";

interface ContentFiles {
  /** The rows of all files. A file without an inspection counts by its id alone. */
  files: MediaRow[];
  /** The files that are published, if some are converted. */
  sentFiles: SentFile[] | null;
}

/** Computes the tag of a post's content. */
export async function tagOfContent(content: PostContent, { files, sentFiles }: ContentFiles): Promise<string> {
  const hashes = Object.fromEntries(files.map(({ id, etag }) => [id, etag]));
  const sentCopies = (sentFiles ?? []).map(({ channel, place, media, copy }) => [
    channel,
    place,
    media,
    copy?.etag ?? null,
  ]);
  const json = canonicalJson({ ...approvedContent(content), hashes, sent: sentCopies });
  return base64Url(await sha256(json));
}
