// Converts the files of a checked post for the channels that would refuse them. The copies are made before the post is
// written, so the checks, reviewers and networks all see the same files. The name of a copy is derived from its source
// content and the requested conversion: channels that need the same copy share it, and a repeated call reuses it.
import { ImageRefused, ImagesUnavailable } from "../../adapters/images.ts";
import { inspectCopy } from "../../adapters/stored-inspection.ts";
import type { Context } from "../../context.ts";
import { base64Url } from "../../domain/encoding.ts";
import { IMAGE_BYTES_MAX } from "../../domain/limits.ts";
import { convertedKey } from "../../domain/media/object-key.ts";
import { detectContentType } from "../../domain/media/types.ts";
import { getPlan } from "../../domain/plan.ts";
import {
  describeChanges,
  type Encoding,
  firstEncoding,
  type ImagePlan,
  nextEncoding,
} from "../../domain/posts/adapt-image.ts";
import { checkFile, checkThumbnail } from "../../domain/posts/check-file.ts";
import type { SentFile } from "../../domain/posts/sent-file.ts";
import { refuse, refuseViolations, type Violation, violation } from "../../domain/refusal.ts";
import type { WorkspaceRow } from "../../store/accounts/accounts.ts";
import { getWorkspace } from "../../store/accounts/workspaces.ts";
import { type CopyRow, insertCopy, readCopies } from "../../store/media/copies.ts";
import { type MediaRow, storeInspections } from "../../store/media/media.ts";
import { noteCopy, UNNAMED_COPY_LIFE_MS } from "../../store/media/staging.ts";
import { planLimit } from "../plan-limit.ts";
import type { CheckedPost } from "./check.ts";
import { changedMeanwhile } from "./inspect.ts";
import { listFiles, type PlannedFile } from "./planned-files.ts";

class NotConverted extends Error {
  override name = "NotConverted";
}

/** A larger encoding exceeds the limit of every network. It is not stored, and a smaller encoding is tried instead. */
const COPY_BYTES_MAX = 2 * IMAGE_BYTES_MAX;

type Converting = Pick<CheckedPost, "targets" | "workspace" | "inspections">;

/**
 * Returns the files of a checked post as they are published. Throws violations if an image cannot be converted. Also throws
 * `images_unavailable`, `images_not_configured`, `bucket_not_configured`, and a 402 if the plan has no room for the copies.
 */
export async function adaptFiles(ctx: Context, checked: Converting): Promise<SentFile[]> {
  const files = listFiles(checked);
  const planned = files.filter(({ plan }) => plan !== null);
  const stored = planned.length === 0 ? [] : await readStored(ctx, checked, planned);
  const copies = new Map(stored.map((copy) => [`${copy.mediaId} ${copy.conversion}`, copy]));
  const sentFiles: SentFile[] = [];
  const violations: Violation[] = [];
  // Each attempt costs money, so an image that cannot be converted is not tried again for the next channel.
  const failures = new Map<string, NotConverted>();
  // Converts one file at a time: each conversion holds a part of its file in memory.
  for (const file of files) {
    const { row, plan } = file;
    if (plan === null) {
      sentFiles.push(asItIs(file));
      continue;
    }
    const name = `${row.id} ${conversionName(row, plan)}`;
    try {
      const failure = failures.get(name);
      if (failure !== undefined) throw failure;
      const copy = copies.get(name) ?? (await convert(ctx, checked.workspace, row, plan));
      copies.set(name, copy);
      const converted = asConverted(file, copy);
      violations.push(...checkConverted(file, converted));
      sentFiles.push(converted);
    } catch (error) {
      if (!(error instanceof NotConverted)) throw error;
      failures.set(name, error);
      violations.push(refuseFile(file, error.message));
    }
  }
  if (violations.length > 0) throw refuseViolations(violations);
  return sentFiles;
}

/** Reads the existing copies. The inspections are stored first, because a copy belongs to one version of its file. */
async function readStored(ctx: Context, { workspace, inspections }: Converting, planned: PlannedFile[]) {
  const db = ctx.databaseOf(workspace.id);
  const isFixed = inspections.length === 0 || (await storeInspections(db, workspace.id, inspections));
  if (!isFixed) throw changedMeanwhile();
  return readCopies(db, workspace.id, [...new Set(planned.map(({ row }) => row.id))]);
}

const conversionName = ({ etag }: MediaRow, { contentType, width, height, maxBytes }: ImagePlan): string =>
  `${etag} ${contentType} ${width}x${height} ${maxBytes}`;

function asItIs({ target, place, row }: PlannedFile): SentFile {
  const { contentType, width, height, bytes } = row;
  return { channel: target.channel, place, media: row.id, contentType, width, height, bytes, adapted: [], copy: null };
}

function asConverted({ target, place, row }: PlannedFile, copy: CopyRow): SentFile {
  const { contentType, width, height, bytes, adapted, objectKey, etag } = copy;
  const facts = { contentType, width, height, bytes, adapted, copy: { objectKey, etag } };
  return { channel: target.channel, place, media: row.id, ...facts };
}

/** Checks a copy against the network's rules, because its width and height may differ from the plan by one pixel. */
function checkConverted({ target, index }: PlannedFile, { contentType, width, height, bytes }: SentFile): Violation[] {
  const facts = { contentType, width, height, bytes };
  const { thumbnail } = target;
  const broken =
    index === null
      ? checkThumbnail({ ...target, ...(thumbnail && { thumbnail: { ...thumbnail, ...facts } }) })
      : checkFile(
          { ...target, media: target.media.map((file, i) => (i === index ? { ...file, ...facts } : file)) },
          index,
        );
  return Array.from(broken, (problem) => ({ ...problem, channel: target.channel, platform: target.rule.platform }));
}

function refuseFile({ target, field }: PlannedFile, reason: string): Violation {
  const { platform } = target.rule;
  return {
    ...violation("media_format_not_allowed", {
      field,
      message: `The file could not be converted for ${platform}: ${reason}.`,
      hint: "Replace the file, or give this channel its own `media` in `overrides`.",
    }),
    channel: target.channel,
    platform,
  };
}

async function convert(ctx: Context, workspace: WorkspaceRow, row: MediaRow, plan: ImagePlan): Promise<CopyRow> {
  const { workspaceId, etag } = row;
  if (etag === null) throw changedMeanwhile();
  const db = ctx.databaseOf(workspaceId);
  const objectKey = convertedKey(row, base64Url(ctx.entropy(12)));
  await noteCopy(db, { workspaceId, objectKey }, UNNAMED_COPY_LIFE_MS);
  const stored = await encodeToFit(ctx, row, plan, objectKey);
  const copy = { workspaceId, mediaId: row.id, conversion: conversionName(row, plan), objectKey, ...stored };
  const bytesMax = getPlan(workspace.plan).media_bytes;
  const inserted = await insertCopy(db, copy, etag, bytesMax);
  if (inserted !== undefined) return inserted;
  const { stagedBytes } = (await getWorkspace(db, workspaceId)) ?? workspace;
  if (bytesMax !== null && stagedBytes + copy.bytes > bytesMax) {
    throw planLimit("media_bytes", workspace.plan, stagedBytes);
  }
  throw changedMeanwhile();
}

type Stored = Pick<CopyRow, "etag" | "bytes" | "contentType" | "width" | "height" | "adapted">;

/** Encodes an image until it is small enough, and stores it. */
async function encodeToFit(ctx: Context, row: MediaRow, plan: ImagePlan, key: string): Promise<Stored> {
  const { bucket } = ctx;
  if (bucket === null) throw refuse("bucket_not_configured");
  const detectType = (head: Uint8Array) => detectContentType(head) ?? "";
  let encoding: Encoding | null = firstEncoding(plan);
  for (let tries = 1; encoding !== null; tries++) {
    const stored = await bucket.store(key, await encode(ctx, row, plan, encoding), COPY_BYTES_MAX, detectType);
    if (stored !== null && stored.contentType !== plan.contentType) {
      throw new NotConverted("the image service answered with another format");
    }
    if (stored !== null && stored.bytes <= plan.maxBytes) {
      const { width, height } = await inspectCopy(bucket, key, stored, UNREADABLE);
      if (width === null || height === null) throw new NotConverted("the image service answered with no image");
      return { ...stored, width, height, adapted: describeChanges(plan, encoding) };
    }
    encoding = nextEncoding(plan, encoding, stored?.bytes ?? COPY_BYTES_MAX, tries);
  }
  throw new NotConverted(`it has more than ${plan.maxBytes} bytes however small it is made`);
}

const UNREADABLE = {
  unreadable: () => refuse("images_unavailable", { message: "The converted file could not be read back." }),
};

async function encode({ bucket, images }: Context, row: MediaRow, plan: ImagePlan, encoding: Encoding) {
  if (images === null) throw refuse("images_not_configured", { field: "/media_fit" });
  const { objectKey, etag } = row;
  if (bucket === null || objectKey === null || etag === null) throw changedMeanwhile();
  const original = await bucket.read(objectKey, etag);
  if (original === null) throw changedMeanwhile();
  try {
    return await images.encode(original, plan.contentType, encoding);
  } catch (error) {
    if (error instanceof ImageRefused) throw new NotConverted(`the image service says "${error.message}"`);
    if (error instanceof ImagesUnavailable) {
      throw refuse("images_unavailable", {
        field: "/media_fit",
        message: `Images cannot be converted now: ${error.message}.`,
      });
    }
    throw error;
  }
}
