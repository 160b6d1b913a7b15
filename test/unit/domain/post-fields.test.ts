// The table of the fields of a post, and what is derived from it.
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
  post_type: "story",
  media_fit: "adapt",
};
const EMPTY: PostContent = {
  text: "",
  media: [],
  channels: [],
  overrides: {},
  metadata: {},
  labels: [],
  thread: null,
  postType: null,
  mediaFit: "exact",
};
const STORED = storePost(WHOLE);

describe("the fields of a post", () => {
  it("are all in the schemas of calls and of a post", () => {
    expect(Object.keys(POST_INPUTS).sort()).toEqual([...POST_FIELD_NAMES].sort());
    expect(Object.keys(POST_OUTPUTS).sort()).toEqual([...POST_FIELD_NAMES].sort());
  });

  it("are shown as they were written", () => {
    expect(Object.keys(WHOLE).sort()).toEqual([...POST_FIELD_NAMES].sort());
    expect(showPostFields(STORED)).toEqual(WHOLE);
  });

  it("are stored empty where their author left them out or sent null", () => {
    expect(storePost({})).toEqual(EMPTY);
    expect(storePost({ thread: null, post_type: null })).toEqual(EMPTY);
    expect(storePost({ thread: [] })).toEqual(EMPTY);
  });

  it("drop undefined members of overrides, and give a part without files an empty list", () => {
    const stored = storePost({ overrides: { ch_1: { silent: undefined } }, thread: [{ text: "b" }] });
    expect(Object.keys(stored.overrides.ch_1 ?? { silent: true })).toEqual([]);
    expect(stored.thread).toEqual([{ text: "b", media: [] }]);
  });

  it("count towards a draft as JSON, and labels and threads only where there are some", () => {
    expect(draftBytes(EMPTY)).toBe('["",[],[],{},{}]'.length);
    expect(draftBytes({ ...EMPTY, text: "ä", labels: ["x"] })).toBe('["ä",[],[],{},{},["x"]]'.length + 1);
    expect(draftBytes({ ...EMPTY, postType: "story", mediaFit: "adapt" })).toBe(draftBytes(EMPTY));
  });
});

describe("an edit of a post", () => {
  it("leaves all fields as they are if it names none", () => {
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
  ])("replaces %o alone", (edit) => {
    expect(mergePost(edit, STORED)).toEqual({ ...WHOLE, ...edit });
  });

  it("keeps the type of a post for null", () => {
    expect(mergePost({ post_type: null }, STORED)).toEqual(WHOLE);
  });
});

describe("an approval", () => {
  it("covers all fields but labels and metadata", () => {
    const { labels: _labels, metadata: _metadata, ...covered } = STORED;
    expect(approvedContent({ ...STORED, ...{ words: " a " } })).toEqual(covered);
    const { labels: _shownLabels, metadata: _shownMetadata, ...shown } = WHOLE;
    expect(showApproved(covered)).toEqual(shown);
  });
});

describe("the columns of an import", () => {
  it("are the fields that a cell can hold, and what else a row says", () => {
    expect(IMPORT_COLUMNS).toEqual([
      ...["text", "media", "channels", "labels", "post_type", "media_fit"],
      ...["publish_at", "draft", "media_urls", "alt", "external_id"],
    ]);
    expect(IMPORT_COLUMNS.slice(0, 6).map(readCellKind)).toEqual(["text", "list", "list", "list", "word", "word"]);
    expect(IMPORT_COLUMNS.slice(6).map(readCellKind)).toEqual(["word", "word", "word", "word", "word"]);
  });
});
