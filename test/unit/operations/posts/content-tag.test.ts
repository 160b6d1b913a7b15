// A tag binds a decision to the content of a post. It covers all published content, and nothing else.
import { describe, expect, it } from "vitest";
import type { SentFile } from "../../../../src/domain/posts/sent-file.ts";
import { tagOfContent } from "../../../../src/operations/posts/content-tag.ts";
import type { MediaRow } from "../../../../src/store/media/media.ts";

const CONTENT = {
  text: "hello",
  media: ["med_1"],
  thread: [{ text: "more", media: [] }],
  poll: null,
  channels: ["ch_1"],
  overrides: { ch_1: { silent: true } },
  mediaFit: "adapt",
  link_tags: null,
} as const;
const ROW: MediaRow = {
  workspaceId: "ws_1",
  id: "med_1",
  kind: "image",
  state: "ready",
  objectKey: "m/ws_1/med_1",
  url: null,
  contentType: "image/png",
  bytes: 10,
  etag: "e1",
  width: 1,
  height: 1,
  durationMs: null,
  alt: null,
  createdAt: 0,
  expiresAt: null,
  uploader: null,
  uploaderCredential: null,
  name: null,
  tags: [],
  terms: [],
  posterEtag: null,
  uploadId: null,
  kept: false,
};
const SENT: SentFile = {
  channel: "ch_1",
  place: 0,
  media: "med_1",
  contentType: "image/jpeg",
  width: 1,
  height: 1,
  bytes: 9,
  adapted: [],
  copy: { objectKey: "m/ws_1/converted/n/med_1", etag: "c1" },
};
type Content = Parameters<typeof tagOfContent>[0];
type Files = Parameters<typeof tagOfContent>[1];
const makeTag = (content: Partial<Content> = {}, files: Partial<Files> = {}) =>
  tagOfContent(
    {
      text: CONTENT.text,
      media: [...CONTENT.media],
      thread: [{ text: "more", media: [] }],
      poll: null,
      channels: [...CONTENT.channels],
      overrides: CONTENT.overrides,
      mediaFit: CONTENT.mediaFit,
      repeat: null,
      linkTags: null,
      postType: "story",
      labels: [],
      metadata: {},
      ...content,
    },
    { files: [ROW], sentFiles: [SENT], ...files },
  );

describe("the tag of a post's content", () => {
  it("the tag of a post's content is the same for the same content", async () => {
    expect(await makeTag()).toBe(await makeTag());
    expect(await makeTag()).toMatch(/^[\w-]{43}$/);
  });

  it.each<[string, Partial<Content>, Partial<Files>]>([
    ["its text", { text: "bye" }, {}],
    ["its files", { media: ["med_2"] }, {}],
    ["its thread", { thread: null }, {}],
    ["its poll", { poll: { question: "q", options: ["y", "n"], minutes: 60 } }, {}],
    ["its channels", { channels: ["ch_2"] }, {}],
    ["a channel's own text or options", { overrides: { ch_1: { silent: false } } }, {}],
    ["its media fit", { mediaFit: "exact" }, {}],
    ["its type", { postType: null }, {}],
    ["the bytes of a file", {}, { files: [{ ...ROW, etag: "e2" }] }],
    ["whether a file has arrived", {}, { files: [{ ...ROW, etag: null }] }],
    ["the bytes of a converted copy", {}, { sentFiles: [{ ...SENT, copy: { objectKey: "m", etag: "c2" } }] }],
    ["whether a file is converted", {}, { sentFiles: [{ ...SENT, copy: null }] }],
    ["the channel of a converted copy", {}, { sentFiles: [{ ...SENT, channel: "ch_2" }] }],
    ["the place of a converted copy", {}, { sentFiles: [{ ...SENT, place: 1 }] }],
    ["the file of a converted copy", {}, { sentFiles: [{ ...SENT, media: "med_2" }] }],
    ["that no file is converted", {}, { sentFiles: null }],
  ])("the tag of a post's content changes with %s", async (_part, content, files) => {
    expect(await makeTag(content, files)).not.toBe(await makeTag());
  });

  it("the tag of a post's content does not change with unpublished properties of a file", async () => {
    expect(await makeTag({}, { files: [{ ...ROW, objectKey: "m/ws_1/sealed/n/med_1", expiresAt: 5 }] })).toBe(
      await makeTag(),
    );
    expect(await makeTag({}, { sentFiles: [] })).toBe(await makeTag({}, { sentFiles: null }));
  });
});
