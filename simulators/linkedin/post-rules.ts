// The rules for a request to create a post: posts API, version 202609, as quoted by dated notes read 2026-11-20.
import type { LedgerMedia } from "../ledger.ts";
import type { ShownPoll } from "../poll.ts";
import { readLittleText, type Shown } from "./little-text.ts";
import { invalid } from "./problem.ts";
import type { Uploads } from "./uploads.ts";

interface Article {
  source: string;
  title: string;
  description: string;
}
export interface Post {
  author: string;
  shown: Shown;
  visibility: string;
  noReshare: boolean;
  media: LedgerMedia[];
  /** As sent. */
  content: object | null;
  article: Article | null;
  title: string | null;
  poll: ShownPoll | null;
  /** The post that this one shares again. */
  parent: string | null;
}

const FIELDS = [
  "author",
  "commentary",
  "visibility",
  "distribution",
  "content",
  "lifecycleState",
  "isReshareDisabledByAuthor",
  "reshareContext",
];
const TEXT_MAX = 3_000;
const ALT_MAX = 4_086;
const IMAGES = { min: 2, max: 20 };
const POLL: { question: number; option: number; min: number; max: number; days: Partial<Record<string, number>> } = {
  question: 140,
  option: 30,
  min: 2,
  max: 4,
  days: { ONE_DAY: 1, THREE_DAYS: 3, SEVEN_DAYS: 7, FOURTEEN_DAYS: 14 },
};

type Fields = Map<string, unknown>;
const toFields = (value: unknown): Fields =>
  new Map(typeof value === "object" && value !== null ? Object.entries(value) : []);

function text(from: Fields, name: string, max: number, path: string): string | null {
  const value = from.get(name) ?? null;
  if (value !== null && typeof value !== "string") throw invalid(`${path}/${name}`, `${name} must be a string`);
  if (value !== null && [...value].length > max)
    throw invalid(`${path}/${name}`, `${name} is longer than ${max}`, "FIELD_LENGTH_TOO_LONG");
  return value;
}

function only(from: Fields, names: string[], path: string): void {
  const unknown = [...from.keys()].find((name) => !names.includes(name));
  if (unknown !== undefined) throw invalid(`${path}/${unknown}`, `unrecognized field ${unknown}`, "UNPERMITTED_FIELDS");
}

/** Reads a body. Throws the network's refusal. */
export function readPost(body: unknown, uploads: Uploads, isNamed: (urn: string, name: string) => boolean): Post {
  const fields = toFields(body);
  only(fields, FIELDS, "");
  const author = String(fields.get("author"));
  const commentary = text(fields, "commentary", 20_000, "");
  const visibility = String(fields.get("visibility"));
  if (commentary === null) throw invalid("/commentary", "commentary is required", "MISSING_FIELD");
  if (!["PUBLIC", "CONNECTIONS", "LOGGED_IN"].includes(visibility))
    throw invalid("/visibility", `${visibility} is not a visibility`);
  if (visibility !== "PUBLIC" && author.startsWith("urn:li:organization:"))
    throw invalid("/visibility", "An organization posts to PUBLIC", "INVALID_VALUE_FOR_FIELD", 422);
  if (toFields(fields.get("distribution")).get("feedDistribution") !== "MAIN_FEED")
    throw invalid("/distribution", "feedDistribution is required", "MISSING_FIELD");
  if (fields.get("lifecycleState") !== "PUBLISHED")
    throw invalid("/lifecycleState", "lifecycleState must be PUBLISHED");
  const littleText = readLittleText(commentary, isNamed);
  if ([...littleText.text].length > TEXT_MAX)
    throw invalid("/commentary", `commentary is longer than ${TEXT_MAX}`, "FIELD_LENGTH_TOO_LONG");
  const content = readContent(fields.get("content"), author, uploads);
  const parent = readParent(fields.get("reshareContext"));
  if (parent !== null && content.content !== null)
    throw invalid("/content", "A reshare cannot have content", "INVALID_VALUE_FOR_FIELD", 422);
  if (commentary === "" && content.content === null && parent === null)
    throw invalid("/commentary", "The post is empty", "MISSING_FIELD", 422);
  return {
    author,
    shown: littleText,
    visibility,
    noReshare: fields.get("isReshareDisabledByAuthor") === true,
    parent,
    ...content,
  };
}

/**
 * Reads a partial update, which changes a text and nothing else here: posts API, read 2026-11-27. The refusals are guesses in the form
 * of the others.
 */
export function readTextEdit(body: unknown, isNamed: (urn: string, name: string) => boolean): Post["shown"] {
  const changes = toFields(toFields(toFields(body).get("patch")).get("$set"));
  only(changes, ["commentary"], "/patch/$set");
  const commentary = text(changes, "commentary", 20_000, "/patch/$set");
  if (commentary === null) throw invalid("/patch/$set/commentary", "commentary is required", "MISSING_FIELD");
  const littleText = readLittleText(commentary, isNamed);
  if ([...littleText.text].length > TEXT_MAX)
    throw invalid("/commentary", `commentary is longer than ${TEXT_MAX}`, "FIELD_LENGTH_TOO_LONG");
  return littleText;
}

// The wording of the refusal is quoted in open-source code, read 2026-11-27.
function readParent(value: unknown): string | null {
  if (value === undefined) return null;
  const parent = String(toFields(value).get("parent"));
  if (!/^urn:li:(?:share|ugcPost|groupPost):\d+$/.test(parent))
    throw invalid("/reshareContext/parent", "Allowed URN types are groupPost, share, ugcPost");
  return parent;
}

type Content = Pick<Post, "content" | "media" | "article" | "title" | "poll">;

function readContent(value: unknown, author: string, uploads: Uploads): Content {
  const none: Content = { content: null, media: [], article: null, title: null, poll: null };
  if (value === undefined) return none;
  const fields = toFields(value);
  only(fields, ["media", "multiImage", "article", "poll"], "/content");
  if (fields.size !== 1) throw invalid("/content", "content is one of media, multiImage, article or poll");
  const shape = { ...none, content: Object.fromEntries(fields) };
  const image = (entry: unknown, path: string, kinds: ("image" | "video" | "document")[]): LedgerMedia => {
    const imageFields = toFields(entry);
    const alt = text(imageFields, "altText", ALT_MAX, path);
    return { ...uploads.take(imageFields.get("id"), author, kinds), alt };
  };
  if (fields.has("media")) {
    const media = toFields(fields.get("media"));
    only(media, ["id", "altText", "title"], "/content/media");
    const title = text(media, "title", 400, "/content/media");
    return { ...shape, media: [image(fields.get("media"), "/content/media", ["image", "video", "document"])], title };
  }
  if (fields.has("multiImage")) {
    const images = toFields(fields.get("multiImage")).get("images");
    if (!Array.isArray(images) || images.length < IMAGES.min || images.length > IMAGES.max)
      throw invalid("/content/multiImage", "multiImage takes 2 to 20 images");
    return { ...shape, media: images.map((entry, i) => image(entry, `/content/multiImage/images/${i}`, ["image"])) };
  }
  if (fields.has("poll")) return { ...shape, poll: readPoll(fields.get("poll")) };
  const article = toFields(fields.get("article"));
  const path = "/content/article";
  only(article, ["source", "title", "description", "thumbnail"], path);
  const source = text(article, "source", 2_000, path) ?? "";
  const title = text(article, "title", 400, path) ?? "";
  if (!/^https?:/.test(source) || title === "") throw invalid(path, "source and title are required", "MISSING_FIELD");
  const thumbnail = article.get("thumbnail");
  const media = thumbnail === undefined ? [] : [{ ...uploads.take(thumbnail, author, ["image"]), alt: null }];
  return { ...shape, media, article: { source, title, description: text(article, "description", 4_000, path) ?? "" } };
}

/** Poll API, version 202501 as stored, read 2026-11-27. It names no lengths: 140 and 30 characters are LinkedIn's own in its app. */
function readPoll(value: unknown): ShownPoll {
  const path = "/content/poll";
  const poll = toFields(value);
  only(poll, ["question", "options", "settings"], path);
  const question = text(poll, "question", POLL.question, path);
  if (question === null || question === "") throw invalid(`${path}/question`, "question is required", "MISSING_FIELD");
  const options = poll.get("options");
  if (!Array.isArray(options) || options.length < POLL.min || options.length > POLL.max)
    throw invalid(`${path}/options`, `A poll has ${POLL.min} to ${POLL.max} options`, "INVALID_VALUE_FOR_FIELD", 422);
  const texts = options.map((option, i) => {
    const answer = text(toFields(option), "text", POLL.option, `${path}/options/${i}`);
    if (answer === null || answer === "")
      throw invalid(`${path}/options/${i}/text`, "text is required", "MISSING_FIELD");
    return answer;
  });
  const duration = String(toFields(poll.get("settings")).get("duration"));
  const days = POLL.days[duration];
  if (days === undefined) throw invalid(`${path}/settings/duration`, `${duration} is not a duration`);
  return { question, options: texts, minutes: days * 1_440 };
}
