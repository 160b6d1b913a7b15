// The table of the fields of a post, and everything that is derived from it.
import { describe, expect, it } from "vitest";
import { POST_INPUTS, POST_OUTPUTS } from "../../../src/contract/post-fields.ts";
import { draftBytes } from "../../../src/domain/posts/draft.ts";
import { IMPORT_COLUMNS, readCellKind } from "../../../src/domain/posts/import-columns.ts";
import {
  approvedContent,
  mergePost,
  POST_FIELD_NAMES,
  type PostContent,
  showApproved,
  showPostFields,
  storePost,
  type WrittenPost,
} from "../../../src/domain/posts/post-fields.ts";

const WHOLE: Required<WrittenPost> = {
  text: "a",
  media: ["med_1"],
  channels: ["ch_1"],
  overrides: { ch_1: { silent: true } },
  metadata: { campaign: "winter" },
  labels: ["x"],
  thread: [{ text: "b", media: ["med_2"] }],
  poll: { question: "q", options: ["y", "n"], minutes: 60 },
  post_type: "story",
  media_fit: "adapt",
  repeat: { every: "week", interval: 2, weekdays: [1, 3], until: null, times: 5, variations: ["c"] },
  link_tags: { parameters: { utm_source: "{network}" }, domains: null },
};
const EMPTY: PostContent = {
  text: "",
  media: [],
  channels: [],
  overrides: {},
  metadata: {},
  labels: [],
  thread: null,
  poll: null,
  postType: null,
  mediaFit: "exact",
  repeat: null,
  linkTags: null,
};
const STORED = storePost(WHOLE);

describe("the fields of a post", () => {
  it("every field of a post is in the schemas of calls and answers", () => {
    expect(Object.keys(POST_INPUTS).sort()).toEqual([...POST_FIELD_NAMES].sort());
    expect(Object.keys(POST_OUTPUTS).sort()).toEqual([...POST_FIELD_NAMES].sort());
  });

  it("the fields of a post are shown as they were written", () => {
    expect(Object.keys(WHOLE).sort()).toEqual([...POST_FIELD_NAMES].sort());
    expect(showPostFields(STORED)).toEqual(WHOLE);
  });

  it("fields that are omitted or null are stored as empty", () => {
    expect(storePost({})).toEqual(EMPTY);
    expect(storePost({ thread: null, post_type: null })).toEqual(EMPTY);
    expect(storePost({ thread: [] })).toEqual(EMPTY);
  });

  it("undefined members of overrides are dropped, and a thread part without files gets an empty list", () => {
    const stored = storePost({ overrides: { ch_1: { silent: undefined } }, thread: [{ text: "b" }] });
    expect(Object.keys(stored.overrides.ch_1 ?? { silent: true })).toEqual([]);
    expect(stored.thread).toEqual([{ text: "b", media: [] }]);
  });

  it("the bytes of a draft are those of its JSON, with labels and threads only if there are any", () => {
    expect(draftBytes(EMPTY)).toBe('["",[],[],{},{}]'.length);
    expect(draftBytes({ ...EMPTY, text: "ä", labels: ["x"] })).toBe('["ä",[],[],{},{},["x"]]'.length + 1);
    expect(draftBytes({ ...EMPTY, postType: "story", mediaFit: "adapt" })).toBe(draftBytes(EMPTY));
  });
});

describe("an edit of a post", () => {
  it("an empty edit keeps all fields of a post", () => {
    expect(mergePost({}, STORED)).toEqual(WHOLE);
  });

  it.each<WrittenPost>([
    { text: "" },
    { media: [] },
    { channels: [] },
    { overrides: {} },
    { metadata: {} },
    { labels: [] },
    { thread: [] },
    { thread: null },
    { post_type: "reel" },
    { media_fit: "exact" },
  ])("an edit replaces only the field %o", (edit) => {
    expect(mergePost(edit, STORED)).toEqual({ ...WHOLE, ...edit });
  });

  it("an edit with a null post type keeps the type of the post", () => {
    expect(mergePost({ post_type: null }, STORED)).toEqual(WHOLE);
  });
});

describe("an approval", () => {
  it("an approval covers all fields except labels and metadata", () => {
    const { labels: _labels, metadata: _metadata, ...covered } = STORED;
    expect(approvedContent({ ...STORED, ...{ words: " a " } })).toEqual(covered);
    const { labels: _shownLabels, metadata: _shownMetadata, ...visible } = WHOLE;
    expect(showApproved(covered)).toEqual(visible);
  });
});

describe("the columns of an import", () => {
  it("the columns of an import are the fields that fit into a cell, and further columns of a row", () => {
    expect(IMPORT_COLUMNS).toEqual([
      ...["text", "media", "channels", "labels", "post_type", "media_fit"],
      ...["publish_at", "draft", "media_urls", "alt", "external_id"],
    ]);
    expect(IMPORT_COLUMNS.slice(0, 6).map(readCellKind)).toEqual(["text", "list", "list", "list", "word", "word"]);
    expect(IMPORT_COLUMNS.slice(6).map(readCellKind)).toEqual(["word", "word", "word", "word", "word"]);
  });
});
