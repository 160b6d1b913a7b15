// The video resource of an insert, validated as the API does: youtube/v3/docs/videos, discovery revision 20260427.
import * as z from "zod";
import { ApiError, badRequest } from "./errors.ts";

const TITLE_MAX = 100;
const DESCRIPTION_BYTES_MAX = 5_000;
const TAGS_MAX = 500;
/** The categories that a video can be put in: videoCategories.list of the US, from memory. */
const CATEGORIES = new Set(["1", "2", "10", "15", "17", "19", "20", "22", "23", "24", "25", "26", "27", "28", "29"]);
const PARTS = new Set([
  "snippet",
  "status",
  "paidProductPlacementDetails",
  "recordingDetails",
  "id",
  "processingDetails",
  "statistics",
]);

const LANGUAGE = /^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$/;

const Snippet = z.object({
  title: z.string().default(""),
  description: z.string().default(""),
  tags: z.array(z.string()).default([]),
  categoryId: z.string().default("22"),
  defaultLanguage: z.string().regex(LANGUAGE).optional(),
  defaultAudioLanguage: z.string().regex(LANGUAGE).optional(),
});
const Status = z.object({
  privacyStatus: z.enum(["public", "unlisted", "private"]).default("public"),
  selfDeclaredMadeForKids: z.boolean().optional(),
  embeddable: z.boolean().default(true),
  license: z.enum(["youtube", "creativeCommon"]).default("youtube"),
  publicStatsViewable: z.boolean().default(true),
  containsSyntheticMedia: z.boolean().optional(),
  publishAt: z.iso.datetime({ offset: true }).optional(),
});
const Resource = z.object({
  snippet: Snippet.optional(),
  status: Status.optional(),
  recordingDetails: z.object({ recordingDate: z.iso.datetime({ offset: true }) }).optional(),
  paidProductPlacementDetails: z.object({ hasPaidProductPlacement: z.boolean().default(false) }).optional(),
});
export interface Resource {
  snippet: z.output<typeof Snippet>;
  status: z.output<typeof Status>;
  recordingDetails?: { recordingDate: string };
  paidProductPlacementDetails: { hasPaidProductPlacement: boolean };
}

export function parseParts(partParameter: string | undefined): string[] {
  if (!partParameter) throw new ApiError(400, "missingRequiredParameter", "No filter selected.", "youtube.parameter");
  const parts = partParameter.split(",");
  const unknown = parts.filter((name) => !PARTS.has(name));
  if (unknown.length > 0) throw new ApiError(400, "unknownPart", `'${unknown.join()}'`, "youtube.part");
  return parts;
}

export function checkResource(body: unknown, partParameter: string | undefined): Resource {
  const parts = parseParts(partParameter);
  const parsed = Resource.safeParse(body);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw badRequest("invalidVideoMetadata", `Invalid value at '${issue?.path.join(".") ?? "video"}'`);
  }
  const strays = Object.keys(parsed.data).filter((name) => !parts.includes(name));
  if (strays.length > 0) throw new ApiError(400, "unexpectedPart", `${strays.join()}`, "youtube.part");
  const {
    snippet = Snippet.parse({}),
    status = Status.parse({}),
    recordingDetails,
    paidProductPlacementDetails,
  } = parsed.data;
  const { title, description, tags, categoryId } = snippet;
  if (title.trim() === "" || [...title].length > TITLE_MAX || hasBrackets(title))
    throw badRequest("invalidTitle", "The request metadata specifies an invalid or empty video title.");
  if (Buffer.byteLength(description) > DESCRIPTION_BYTES_MAX || hasBrackets(description))
    throw badRequest("invalidDescription", "The request metadata specifies an invalid video description.");
  if (computeTagsLength(tags) > TAGS_MAX || tags.some(hasBrackets))
    throw badRequest("invalidTags", "The request metadata specifies invalid video keywords.");
  if (!CATEGORIES.has(categoryId))
    throw badRequest("invalidCategoryId", "The snippet.categoryId property specifies an invalid category ID.");
  if (status.publishAt !== undefined && status.privacyStatus !== "private")
    throw badRequest("invalidPublishAt", "The request metadata specifies an invalid scheduled publishing time.");
  return {
    snippet,
    status,
    ...(recordingDetails && { recordingDetails }),
    paidProductPlacementDetails: paidProductPlacementDetails ?? { hasPaidProductPlacement: false },
  };
}

const hasBrackets = (text: string) => /[<>]/.test(text);
/** The length of all tags, with the commas between tags and the quotes around tags that have a space. */
const computeTagsLength = (tags: string[]) =>
  tags.map((tag) => (tag.includes(" ") ? `"${tag}"` : tag)).join(",").length;

const COMMENT_MAX = 10_000;
const CommentThread = z.object({
  snippet: z.object({
    videoId: z.string(),
    topLevelComment: z.object({ snippet: z.object({ textOriginal: z.string() }) }),
  }),
});

export function readComment(body: unknown): { videoId: string; text: string } {
  const parsed = CommentThread.safeParse(body);
  if (!parsed.success) throw badRequest("invalidCommentThreadMetadata", "The request metadata is invalid.");
  const { videoId, topLevelComment } = parsed.data.snippet;
  const { textOriginal: text } = topLevelComment.snippet;
  if (text.trim() === "") throw badRequest("commentTextRequired", "The comment text is required.");
  if ([...text].length > COMMENT_MAX) throw badRequest("commentTextTooLong", "The comment text is too long.");
  return { videoId, text };
}

/** Sentences about a video that its page shows next to title and description. */
export const describe = ({ snippet: { defaultAudioLanguage: language }, recordingDetails }: Resource): string[] => [
  ...(language === undefined ? [] : [`Language: ${language}`]),
  ...(recordingDetails === undefined ? [] : [`Recorded on ${recordingDetails.recordingDate.slice(0, 10)}`]),
];
