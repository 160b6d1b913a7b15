// The fields of a post that people write, in one table. Everything that handles all of them is derived from it: the create
// and edit schemas (contract/post-fields.ts), the stored row, the merge of an edit, the view, the bytes of a draft, the
// content tag, the columns of a CSV import and the fields of an exported line. A field that is missing in one of these places
// does not compile.
//
// `publish_at` and `draft` are not here. They say when and whether a post goes out, and each place treats them in its own
// way.
import type { JsonObject } from "../json.ts";
import { type LinkTags, storedLinkTags, type WrittenLinkTags } from "./link-tags.ts";
import { withoutOwnTimes } from "./own-time.ts";
import type { PostType } from "./platform-rule.ts";
import type { Poll } from "./poll.ts";
import { type Repeat, storedRepeat, type WrittenRepeat } from "./repeat.ts";
import type { MediaFit } from "./sent-file.ts";
import { storedThread, type ThreadPart, type WrittenThreadPart } from "./thread.ts";

/** The written fields as they are stored, under the names of their columns. */
export interface PostContent {
  text: string;
  media: string[];
  channels: string[];
  overrides: Record<string, JsonObject>;
  metadata: Record<string, string>;
  labels: string[];
  thread: ThreadPart[] | null;
  poll: Poll | null;
  postType: PostType | null;
  mediaFit: MediaFit;
  repeat: Repeat | null;
  linkTags: LinkTags | null;
}

/** The written fields as callers send them. Each may be left out. */
export interface WrittenPost {
  text?: string | undefined;
  media?: string[] | undefined;
  channels?: string[] | undefined;
  overrides?: Record<string, object> | undefined;
  metadata?: Record<string, string> | undefined;
  labels?: string[] | undefined;
  thread?: readonly WrittenThreadPart[] | null | undefined;
  poll?: Poll | null | undefined;
  post_type?: PostType | null | undefined;
  media_fit?: MediaFit | undefined;
  repeat?: WrittenRepeat | null | undefined;
  link_tags?: WrittenLinkTags | null | undefined;
}
export type PostFieldName = keyof WrittenPost;

/** The fields that an approval does not cover, because they do not change the published content. */
type Uncovered = "labels" | "metadata";
/** The fields that an approval covers, as they are stored. */
export type ApprovedContent = Omit<PostContent, Uncovered>;

interface PostField<Column extends keyof PostContent> {
  column: Column;
  /** The stored value if a new post leaves the field out. */
  empty: PostContent[Column];
  /** Converts the caller's value into the stored value; if absent, the value is stored as it is. */
  store?: (post: WrittenPost) => PostContent[Column];
  /** true: `null` in an edit leaves the field as it is. */
  keepsOnNull?: true;
  /** How the field counts towards the bytes of a draft. */
  counts: "always" | "unless empty" | "never";
  /** Whether an approval covers the field: it is part of the content tag. */
  isApproved: Column extends Uncovered ? false : true;
  /**
   * The kind of cell in a CSV import: a text as it is, one word, or a list divided by `|`; null if there is no such column.
   */
  cell: "text" | "word" | "list" | null;
}

interface Columns extends Record<Exclude<PostFieldName, keyof PostContent>, keyof PostContent> {
  post_type: "postType";
  media_fit: "mediaFit";
  link_tags: "linkTags";
}
type ColumnOf<Name extends PostFieldName> = Name extends keyof PostContent
  ? Name
  : Columns[Exclude<Name, keyof PostContent>];

const ALWAYS = { counts: "always", isApproved: true } as const;
export const POST_FIELDS: { [Name in PostFieldName]-?: PostField<ColumnOf<Name>> } = {
  text: { ...ALWAYS, column: "text", empty: "", cell: "text" },
  media: { ...ALWAYS, column: "media", empty: [], cell: "list" },
  channels: { ...ALWAYS, column: "channels", empty: [], cell: "list" },
  // Properties that are `undefined` are dropped, because JSON has no such value.
  overrides: {
    ...ALWAYS,
    column: "overrides",
    empty: {},
    store: ({ overrides }) => JSON.parse(JSON.stringify(overrides)),
    cell: null,
  },
  metadata: { column: "metadata", empty: {}, counts: "always", isApproved: false, cell: null },
  labels: { column: "labels", empty: [], counts: "unless empty", isApproved: false, cell: "list" },
  thread: {
    column: "thread",
    empty: null,
    store: ({ thread }) => storedThread(thread),
    counts: "unless empty",
    isApproved: true,
    cell: null,
  },
  poll: { column: "poll", empty: null, counts: "unless empty", isApproved: true, cell: null },
  post_type: {
    column: "postType",
    empty: null,
    keepsOnNull: true,
    counts: "never",
    isApproved: true,
    cell: "word",
  },
  media_fit: { column: "mediaFit", empty: "exact", counts: "never", isApproved: true, cell: "word" },
  repeat: {
    column: "repeat",
    empty: null,
    store: ({ repeat }) => storedRepeat(repeat),
    counts: "unless empty",
    isApproved: true,
    cell: null,
  },
  link_tags: {
    column: "linkTags",
    empty: null,
    store: ({ link_tags: tags, labels }) => storedLinkTags(tags, labels),
    counts: "unless empty",
    isApproved: true,
    cell: null,
  },
};

/** The names of the fields, in the order of the table. */
export const POST_FIELD_NAMES = Object.keys(POST_FIELDS).filter((name): name is PostFieldName => name in POST_FIELDS);

/** The columns of the fields for which `isChosen` holds, in the order of the table. */
export const columnsWhere = (isChosen: (field: PostField<keyof PostContent>) => boolean): (keyof PostContent)[] =>
  POST_FIELD_NAMES.map((name) => POST_FIELDS[name])
    .filter(isChosen)
    .map(({ column }) => column);

/** The columns of a new post, from the fields that its author wrote. */
export function storePost(post: WrittenPost): PostContent {
  return byName((name) => {
    const { column, empty, store } = POST_FIELDS[name];
    const value = post[name];
    if (value === undefined || value === null) return [column, empty];
    return [column, store === undefined ? value : store(post)];
  });
}

type Shown<Content> = {
  [Name in PostFieldName as ColumnOf<Name> extends keyof Content ? Name : never]: PostContent[ColumnOf<Name>];
};

/** The fields of a stored post under the names that callers know. */
export const showPostFields = (post: PostContent): Shown<PostContent> =>
  byName((name) => [name, post[POST_FIELDS[name].column]]);

/** The fields that an approval covers, under the names that callers know. */
export function showApproved(post: ApprovedContent): Shown<ApprovedContent> {
  const content: Partial<PostContent> = post;
  const covered = POST_FIELD_NAMES.filter((name) => POST_FIELDS[name].isApproved);
  return Object.fromEntries(covered.map((name): unknown[] => [name, content[POST_FIELDS[name].column]]));
}

/** Merges an edit with the stored post. A field that the edit leaves out keeps its stored value. */
export function mergePost<Edit extends WrittenPost>(edit: Edit, post: PostContent): Pick<Edit, PostFieldName> {
  return byName((name) => {
    const { column, keepsOnNull } = POST_FIELDS[name];
    const isKept = edit[name] === undefined || (edit[name] === null && keepsOnNull === true);
    return [name, isKept ? post[column] : edit[name]];
  });
}

/** The fields that an approval covers: what is published, not when. */
export function approvedContent(post: PostContent): ApprovedContent {
  const content = { ...post, overrides: withoutOwnTimes(post.overrides) };
  const columns = columnsWhere(({ isApproved }) => isApproved);
  return Object.fromEntries(columns.map((column): unknown[] => [column, content[column]]));
}

/** Builds an object with a property for each field. */
const byName = (member: (name: PostFieldName) => unknown[]) => Object.fromEntries(POST_FIELD_NAMES.map(member));
