// Reads everything that is needed to check a post, in one read: the rows that it names, and the usage of its workspace.
import { sha256Hex } from "../../adapters/digest.ts";
import type { Context } from "../../context.ts";
import type { Input } from "../../contract/operation.ts";
import type { createPost } from "../../contract/posts.ts";
import { formatMonth } from "../../domain/instant.ts";
import { canonicalJson } from "../../domain/json.ts";
import { asksForSlot } from "../../domain/next-slot.ts";
import { CAPTIONS, findCaptions } from "../../domain/posts/captions.ts";
import { listThumbnails } from "../../domain/posts/thumbnail.ts";
import { refuse } from "../../domain/refusal.ts";
import { mapStatements, type Statements } from "../../store/db/batch.ts";
import type { Database, In } from "../../store/db/db.ts";
import { type FoundForCheck, readForCheck } from "../../store/posts/check.ts";
import { pointer } from "../refuse-issues.ts";

export type PostBody = Input<typeof createPost>["body"];
/** The fields of a post, or of an edit, that name the rows to read. */
type Naming = Pick<PostBody, "channels" | "media" | "overrides" | "text" | "publish_at" | "thread">;

/** How long the same text counts as a duplicate. */
const DUPLICATE_WINDOW_MS = 24 * 3_600_000;

/** The data that was read, and when. */
export interface CheckMaterial extends FoundForCheck {
  /** Epoch milliseconds. */
  now: number;
  month: string;
  /** The id of the post that is edited; null: it is new. */
  ofPost: string | null;
}

/**
 * Reads the data that is needed to check `body`. `ofPost`: the id of the post that is edited. Fields that `body` leaves out
 * keep the post's values.
 */
export function readToCheck(
  ctx: Context,
  db: Database,
  workspaceId: In<string>,
  body: Naming,
  { idempotencyKey = null, ofPost = null }: { idempotencyKey?: string | null; ofPost?: string | null } = {},
): Statements<CheckMaterial> {
  const now = ctx.now();
  const month = formatMonth(now);
  const request = {
    channels: body.channels ?? [],
    media: mediaNamed(body),
    month,
    idempotencyKey,
    duplicatesOf: { text: body.text ?? (ofPost === null ? "" : null), since: now - DUPLICATE_WINDOW_MS },
    ofPost,
    slots: asksForSlot(body),
  };
  return mapStatements(readForCheck(db, workspaceId, request), (records) => ({ ...records, now, month, ofPost }));
}

/** Limits `material` to the channels and files that `body` names. */
export function filterMaterial(body: Naming, material: CheckMaterial): CheckMaterial {
  const files = mediaNamed(body);
  return {
    ...material,
    channels: material.channels.filter(({ id }) => body.channels?.includes(id)),
    media: material.media.filter(({ id }) => files.includes(id)),
  };
}

/**
 * The files that a post names in one place, with its JSON pointer. `isOne`: the field holds a single file instead of a
 * list.
 */
export interface MediaList {
  at: string;
  ids: string[];
  isOne?: true;
}

/** The JSON pointer of a file in a list. */
export const buildFilePointer = ({ at, isOne }: MediaList, index: number): string => (isOne ? at : `${at}/${index}`);

/** Lists every place in a post that names files. */
export function mediaLists({ media, thread, overrides }: Naming): MediaList[] {
  const inThread = (threadParts: Naming["thread"], prefix: string) =>
    (threadParts ?? []).map((threadPart, i) => ({ at: `${prefix}/thread/${i}/media`, ids: threadPart.media ?? [] }));
  return [
    { at: "/media", ids: media ?? [] },
    ...inThread(thread, ""),
    ...Object.entries(overrides ?? {}).flatMap(([id, override]) => {
      const path = `/overrides${pointer([id])}`;
      const thumbnailList = listThumbnails(override).map(
        ({ option, id }): MediaList => ({ at: `${path}/${option}`, ids: [id], isOne: true }),
      );
      const captionsList = findCaptions(override).map(
        ({ file }, i): MediaList => ({ at: `${path}/${CAPTIONS}/${i}/file`, ids: [file], isOne: true }),
      );
      return [
        { at: `${path}/media`, ids: override.media ?? [] },
        ...inThread(override.thread, path),
        ...thumbnailList,
        ...captionsList,
      ];
    }),
  ];
}

/** The files that a post names, each once. */
export function mediaNamed(body: Naming): string[] {
  return [...new Set(mediaLists(body).flatMap(({ ids }) => ids))];
}

/** SHA-256 of the parsed body: the order of keys and white space make no difference. */
export function fingerprint(body: PostBody): Promise<string> {
  return sha256Hex(canonicalJson(body));
}

/**
 * The id of the post that an earlier call with the same key and body created; null: no call did. Throws
 * `idempotency_key_reused` if that call had another body.
 */
export async function earlierPost({ key }: CheckMaterial, body: PostBody): Promise<string | null> {
  if (key === undefined) return null;
  if (key.fingerprint !== (await fingerprint(body))) {
    throw refuse("idempotency_key_reused", { field: "Idempotency-Key" });
  }
  return key.postId;
}
