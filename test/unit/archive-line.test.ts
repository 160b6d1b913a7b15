// When a post's rows are deleted, one line in the archive remains. It has everything that `GET` showed, and all other columns worth keeping.
import { expect, it } from "vitest";
import type { LiveThreadPart } from "../../src/domain/delivery/thread.ts";
import { archiveLine } from "../../src/maintenance/archive-line.ts";
import type { CommentRow } from "../../src/store/posts/comments.ts";
import type { MeasuredDelivery, PostWithDeliveries } from "../../src/store/posts/posts.ts";
import { postView } from "../../src/views/post.ts";

const AT = Date.UTC(2026, 0, 2, 3, 4, 5);
const CHANNEL = "ch_1";

const makeSends = (...instants: number[]) =>
  instants.map((sent_at) => ({ fencing_token: 1, payload_hash: "hash", sent_at }));
const makeThreadPart = (id: string, url: string): LiveThreadPart => ({
  position: 0,
  id,
  url,
  urlState: "none",
  publishedAt: AT,
  attempts: 1,
  publishKey: null,
  missingSince: null,
  isRemoved: false,
});

/** `POST` and `OTHER_POST` differ in every column. A new column must be added to both before this file compiles. */
const POST: PostWithDeliveries["post"] = {
  workspaceId: "ws_1",
  id: "post_1",
  status: "partially_published",
  revision: 3,
  editedBy: "edit",
  text: "hello",
  media: ["med_1"],
  channels: [CHANNEL],
  overrides: {},
  postType: "feed",
  metadata: { order: "77" },
  publishAt: AT,
  dueAt: AT + 2,
  timezone: "Europe/Berlin",
  idempotencyKey: "key",
  countedMonth: "2026-01",
  cancelledAt: null,
  createdAt: AT - 1_000,
  updatedAt: AT + 10,
  finishedAt: AT + 12,
  draftBytes: 0,
  labels: ["winter"],
  thread: [{ text: "second", media: [] }],
  poll: { question: "q", options: ["y", "n"], minutes: 60 },
  approval: { state: "approved", by: "Grace", reason: null, at: AT - 500, rev: 2 },
  author: { kind: "person", id: "usr_1", name: "Ada" },
  contentTag: "tag",
  authorUserId: null,
  mediaFit: "exact",
  sentFiles: null,
  countedCost: 0,
  countedKey: null,
  repeat: { every: "week", interval: 2, weekdays: [1], until: null, times: null, variations: [] },
  repeatState: "completed",
  series: null,
  repeatOf: null,
  lostPosts: null,
  linkTags: null,
};
const OTHER_POST: PostWithDeliveries["post"] = {
  workspaceId: "ws_2",
  id: "post_2",
  status: "failed",
  revision: 4,
  editedBy: "other edit",
  text: "goodbye",
  media: [],
  channels: [CHANNEL, "ch_2"],
  overrides: { [CHANNEL]: { text: "own" } },
  postType: "reel",
  metadata: {},
  publishAt: AT + 1,
  dueAt: AT + 3,
  timezone: "UTC",
  idempotencyKey: null,
  countedMonth: "2026-02",
  cancelledAt: AT,
  createdAt: AT - 999,
  updatedAt: AT + 11,
  finishedAt: AT + 13,
  draftBytes: 1,
  labels: [],
  thread: null,
  poll: null,
  approval: null,
  author: null,
  contentTag: "other tag",
  authorUserId: null,
  mediaFit: "adapt",
  sentFiles: [
    {
      channel: "ch_1",
      place: 0,
      media: "med_2",
      contentType: "image/jpeg",
      width: 1080,
      height: 1440,
      bytes: 300_000,
      adapted: ["size"],
      copy: { objectKey: "m/ws_2/converted/nonce/med_2", etag: "etag" },
    },
  ],
  countedCost: 30_000,
  countedKey: "key_1",
  repeat: { every: "day", interval: 1, weekdays: null, until: null, times: 3, variations: ["b"] },
  repeatState: "continued",
  series: { timezone: "UTC", start: "2026-11-01T09:00:00", plannedAt: 0, number: 2, own: {}, problem: null },
  repeatOf: "post_0",
  lostPosts: { until: 1, number: 2 },
  linkTags: { parameters: { utm_source: "{network}" }, domains: null },
};
const DELIVERY: MeasuredDelivery = {
  workspaceId: "ws_1",
  postId: "post_1",
  channelId: CHANNEL,
  id: "dlv_1",
  platform: "x",
  state: "removed",
  version: 5,
  fencingToken: 1,
  scheduledFor: AT,
  nextAt: null,
  sends: makeSends(AT + 1),
  hasOpenSend: false,
  publishKey: null,
  lastTry: { retries: 0, error: null, detail: null, networkMessage: null },
  networkPost: {
    id: "net_1",
    url: "https://x.com/a/status/1",
    urlState: "none",
    checkedAt: AT + 5,
    readback: { state: "verified", altered: [] },
  },
  startedAt: AT + 1,
  publishedAt: AT + 3,
  checkAt: null,
  session: "session",
  successSeq: 7,
  threadParts: [makeThreadPart("net_1", "https://x.com/a/status/1")],
  isHeldBack: false,
  followUps: [],
  terms: { rechecks: null, cost: { publish: 15_000, rechecks: 15_000, metrics: 0 } },
  measured: { at: AT + 7, figures: { likes: 31 } },
};
const OTHER_DELIVERY: MeasuredDelivery = {
  workspaceId: "ws_2",
  postId: "post_2",
  channelId: "ch_2",
  id: "dlv_2",
  platform: "bluesky",
  state: "failed",
  version: 6,
  fencingToken: 2,
  scheduledFor: AT + 1,
  nextAt: AT,
  sends: makeSends(AT + 1, AT + 2),
  hasOpenSend: true,
  publishKey: "sealed",
  lastTry: {
    retries: 1,
    error: "content_refused",
    detail: "in Crier's words",
    networkMessage: "the network's words",
  },
  networkPost: {
    id: "net_2",
    url: null,
    urlState: "not_reported",
    checkedAt: AT + 6,
    missingSince: AT,
    readback: { state: "altered", altered: ["text"] },
  },
  startedAt: AT + 2,
  publishedAt: AT + 4,
  checkAt: AT,
  session: "other session",
  successSeq: 8,
  threadParts: [makeThreadPart("net_2", "https://x.com/a/status/2")],
  isHeldBack: true,
  followUps: [
    {
      workspaceId: "ws_2",
      postId: "post_2",
      channelId: "ch_2",
      kind: "playlist",
      state: "done",
      tries: 0,
      publishKey: null,
      edit: null,
      detail: null,
      networkMessage: null,
    },
  ],
  terms: { rechecks: "off", cost: { publish: 200_000, rechecks: 10_000, metrics: 5_000 } },
  measured: { at: AT + 7, figures: { likes: 32 } },
};

const COMMENT: CommentRow = {
  workspaceId: "ws_1",
  id: "cmt_1",
  postId: "post_1",
  text: "Is this final?",
  author: { kind: "person", id: "usr_1", name: "Ada" },
  createdAt: AT,
};
const OTHER_COMMENT: CommentRow = {
  workspaceId: "ws_2",
  id: "cmt_2",
  postId: "post_2",
  text: "Yes.",
  author: { kind: "reviewer", id: null, name: "Clara" },
  createdAt: AT + 1,
};

/** Columns that the line leaves out, each with the reason. */
const LEFT_OUT = {
  comment: {
    workspaceId: "the line has the workspace of the post",
    postId: "the line has the id of the post",
  },
  post: {
    editedBy: "marks an edit while it is written",
    countedMonth: "the month's count stays in the database",
    countedCost: "the deliveries have it",
    countedKey: "the month's count stays in the database",
    lostPosts: "serves to make the next post, which exists",
    series: "the place in the series serves to make the next post, which exists",
    draftBytes: "a finished post is no draft",
    authorUserId: "keeps authors from approving their own posts, and a finished post needs no approval",
  },
  delivery: {
    workspaceId: "the line has the workspace of the post",
    postId: "the line has the id of the post",
    version: "guards writes",
    fencingToken: "guards writes",
    nextAt: "nothing is left to do",
    "lastTry.retries": "position in the table of retries",
    hasOpenSend: "the error says so",
    publishKey: "sealed, for calls to the network",
    "networkPost.urlState": "shown only if there is no address",
    isHeldBack: "belongs to a restore that is over",
    checkAt: "nothing is left to do",
    "networkPost.missingSince": "belongs to checks that are over",
    session: "marks the session that wrote last",
    successSeq: "position of its event in the feed",
    "terms.rechecks": "belongs to checks that are over",
  },
};

/** `DELIVERY` with one column of `OTHER_DELIVERY`, by the column's name: of a group, with one member. */
const CHANGED_DELIVERIES = Object.fromEntries(
  Object.entries(OTHER_DELIVERY).flatMap(([name, value]): [string, MeasuredDelivery][] => {
    const group = name === "lastTry" || name === "networkPost" || name === "terms" ? DELIVERY[name] : undefined;
    if (group === undefined) return [[name, { ...DELIVERY, [name]: value }]];
    return Object.entries(value).map(([member, other]) => [
      `${name}.${member}`,
      { ...DELIVERY, [name]: { ...group, [member]: other } },
    ]);
  }),
);

const makeLine = (post = POST, delivery = DELIVERY, comment = COMMENT) =>
  archiveLine({ post, deliveries: [delivery], comments: [comment] });

it("the archive line has everything that GET shows of the post and its deliveries", () => {
  const { deliveries, ...visiblePost } = postView({ bucket: null }, { post: POST, deliveries: [DELIVERY] });
  const archived = JSON.parse(makeLine());
  expect(archived).toMatchObject({ ...visiblePost, deliveries });
});

it("the archive line has the author, the idempotency key and the network's ids, which GET does not show", () => {
  expect(JSON.parse(makeLine(POST, OTHER_DELIVERY))).toMatchObject({
    workspace: "ws_1",
    author: { kind: "person", id: "usr_1", name: "Ada" },
    idempotency_key: "key",
    cancelled_at: null,
    finished_at: "2026-01-02T03:04:05.012Z",
    deliveries: [
      {
        network_id: "net_2",
        detail: "in Crier's words",
        network_message: "the network's words",
        parts: [{ network_id: "net_2" }, { network_id: null }],
      },
    ],
  });
});

it("the archive line changes with every column of the post and of a delivery and comment that is not left out on purpose", () => {
  const findUnseen = (names: string[], change: (name: string) => string) =>
    names.filter((name) => change(name) === makeLine());
  const postColumns = findUnseen(Object.keys(OTHER_POST), (name) =>
    makeLine({ ...POST, ...Object.fromEntries(Object.entries(OTHER_POST).filter(([column]) => column === name)) }),
  );
  expect(postColumns.sort()).toEqual(Object.keys(LEFT_OUT.post).sort());
  const deliveryColumns = findUnseen(Object.keys(CHANGED_DELIVERIES), (name) =>
    makeLine(POST, CHANGED_DELIVERIES[name]),
  );
  expect(deliveryColumns.sort()).toEqual(Object.keys(LEFT_OUT.delivery).sort());
  const commentColumns = findUnseen(Object.keys(OTHER_COMMENT), (name) =>
    makeLine(POST, DELIVERY, {
      ...COMMENT,
      ...Object.fromEntries(Object.entries(OTHER_COMMENT).filter(([column]) => column === name)),
    }),
  );
  expect(commentColumns.sort()).toEqual(Object.keys(LEFT_OUT.comment).sort());
});
