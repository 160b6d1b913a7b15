// The published posts of a Page, and its unpublished photos. The limits are from pages-api/posts and the page stories guide,
// read 2026-11-20.
import type { PublicFiles } from "../files.ts";
import type { Ledger, LedgerMedia } from "../ledger.ts";
import { findMarks } from "../marks.ts";
import { hasPersona } from "../personas.ts";
import type { World } from "../simulator.ts";
import { type FeedFields, readFeedFields } from "./feed-fields.ts";
import {
  type Call,
  type Fields,
  GraphError,
  invalidParameter,
  isFields,
  isTrue,
  type Json,
  noObject,
  toText,
} from "./graph.ts";
import type { Page } from "./people.ts";
import { figure, listedAt, toNode } from "./post-node.ts";

export const PLATFORM = "facebook";
const MESSAGE_MAX = 63_206;
const COMMENT_MAX = 8_000;
const PHOTO_BYTES_MAX = 10_000_000;
const PHOTO_TYPES = ["image/jpeg", "image/bmp", "image/png", "image/gif", "image/tiff"];
/** Metrics that are valid in v25.0. */
const METRICS = [
  "post_media_view",
  "post_total_media_view_unique",
  "post_clicks",
  "post_reactions_by_type_total",
  "post_video_views",
];

/** Ids increase, even across restarts, and are too large for a JavaScript number. */
let lastId = 120_000_000_000_000_000n + BigInt(Date.now()) * 1_000n;
export function newId(): string {
  lastId += 1n;
  return String(lastId);
}

export interface Photo {
  id: string;
  page: Page;
  file: LedgerMedia;
  /** The post or story that shows the photo. */
  postId: string | null;
}
export interface Post {
  id: string;
  page: Page;
  message: string;
  createdAt: number;
  url: string;
  photos: Photo[];
  link: string | null;
  /** The video that it shows. */
  videoId: string | null;
  story: boolean;
  /** Epoch milliseconds under which it is listed, if it is backdated. */
  backdatedAt?: number;
}

export class Posts {
  readonly #photos: Map<string, Photo>;
  readonly #posts: Map<string, Post>;
  readonly #ledger: Ledger;
  readonly #files: PublicFiles;

  constructor({ ledger, files, state }: World) {
    this.#photos = state.map("facebook.photos");
    this.#posts = state.map("facebook.posts");
    this.#ledger = ledger;
    this.#files = files;
  }

  find(id: string): Post | undefined {
    return this.#posts.get(id);
  }
  photo(id: string): Photo | undefined {
    return this.#photos.get(id);
  }
  remove(id: string): void {
    this.#posts.delete(id);
  }
  forget(page?: Page): void {
    for (const itemsById of [this.#photos, this.#posts])
      for (const [id, owned] of itemsById) if (page === undefined || owned.page === page) itemsById.delete(id);
  }

  /** Records a post as published. */
  publish(
    post: Omit<Post, "createdAt">,
    media: LedgerMedia[],
    token: string | null,
    { detail = {}, feed }: { detail?: Fields; feed?: FeedFields } = {},
  ): void {
    for (const photo of post.photos) photo.postId = post.id;
    this.#posts.set(post.id, { ...post, createdAt: Date.now() });
    const page = { title: post.link ?? "", description: "", thumbSha256: null };
    const card = post.link === null ? null : { uri: post.link, ...page, ...feed?.card };
    this.#ledger.accept({
      platform: PLATFORM,
      account: post.page.username,
      id: post.id,
      text: post.message,
      media,
      token,
      url: post.url,
      // Details that the API itself never returns.
      detail: {
        ...detail,
        ...(hasPersona(post.page.username, "dev_mode") && { seen_by: "people of the app" }),
        link: post.link,
        story: post.story,
      },
      shown: {
        marks: findMarks(post.message, ["links", "names", "tags"]),
        card,
        ...(feed && Object.keys(feed.facts).length > 0 && { facts: feed.facts }),
      },
    });
  }

  edit(post: Post, message: string): void {
    if (message.length > MESSAGE_MAX) throw invalidParameter("Param message is too long");
    post.message = message;
    this.#ledger.edit(PLATFORM, post.id, message, findMarks(message, ["links", "names", "tags"]));
  }

  async addPhoto({ fields }: Call, page: Page): Promise<Fields> {
    const url = toText(fields.url);
    if (url === "") throw invalidParameter("(#324) Requires upload file");
    const file = await this.#files.download(url);
    if (file === null) throw new GraphError(324, "Missing or invalid image file", { subcode: 2069019 });
    if (!PHOTO_TYPES.includes(file.type) || file.bytes > PHOTO_BYTES_MAX)
      throw new GraphError(
        1,
        "(#1) Your photos couldn't be uploaded. Photos should be smaller than 10 MB and saved as JPG, PNG, GIF or TIFF files.",
        { subcode: 1366046 },
      );
    const { bytes, type, sha256 } = file;
    const alt = typeof fields.alt_text_custom === "string" ? fields.alt_text_custom : null;
    const photo: Photo = { id: newId(), page, file: { bytes, type, sha256, alt }, postId: null };
    this.#photos.set(photo.id, photo);
    if (fields.published !== undefined && !isTrue(fields.published)) return { id: photo.id };
    const message = toText(fields.message ?? fields.caption);
    const post = this.#newPost(page, message, [photo], null);
    this.publish(post, [photo.file], null);
    return { id: photo.id, post_id: post.id };
  }

  #newPost(page: Page, message: string, photos: Photo[], link: string | null): Omit<Post, "createdAt"> {
    const number = newId();
    const url = `https://www.facebook.com/${page.username}/posts/pfbid${number}`;
    return { id: `${page.id}_${number}`, page, message, url, photos, link, videoId: null, story: false };
  }

  /** `POST /{page}/feed` */
  async addPost({ fields }: Call, page: Page): Promise<Fields> {
    const message = toText(fields.message);
    const link = fields.link === undefined ? null : toText(fields.link);
    const photos = attachedIds(fields.attached_media).map((id) => this.#waiting(id, page));
    if (message === "" && link === null && photos.length === 0) throw invalidParameter("Missing message or attachment");
    if (message.length > MESSAGE_MAX) throw invalidParameter("Param message is too long");
    if (link !== null && photos.length > 0) throw invalidParameter("Only owners of the URL can attach media to a link");
    if (link !== null) checkLink(link);
    const last = [...this.#posts.values()].findLast((post) => post.page === page && !post.story);
    if (message !== "" && photos.length === 0 && last?.message === message && last.photos.length === 0)
      throw new GraphError(506, "(#506) Duplicate status message", { subcode: 1455006 });
    const feed = await readFeedFields(fields, link, this.#files);
    const { backdatedAt } = feed;
    const post = { ...this.#newPost(page, message, photos, link), ...(backdatedAt !== undefined && { backdatedAt }) };
    this.publish(
      post,
      photos.map(({ file }) => file),
      null,
      { feed, detail: feed.detail },
    );
    return { id: post.id, ...(toText(fields.fields).includes("permalink_url") ? { permalink_url: post.url } : {}) };
  }

  /** `POST /{post or video}/comments`: https://developers.facebook.com/docs/graph-api/reference/object/comments, from memory. */
  comment({ node, fields }: Call, page: Page | null): Fields {
    const post = [...this.#posts.values()].find(({ id, videoId }) => id === node || videoId === node);
    if (post === undefined || post.page !== page) throw noObject("POST", node);
    const message = toText(fields.message);
    if (message === "" || message.length > COMMENT_MAX)
      throw invalidParameter("Param message must be 1 to 8000 characters");
    const id = `${post.id}_${newId()}`;
    this.#ledger.accept({
      platform: PLATFORM,
      account: page.username,
      id,
      text: message,
      media: [],
      token: null,
      url: `${post.url}?comment_id=${id}`,
      detail: { comment_on: post.id },
      shown: { marks: [], card: null },
    });
    return { id };
  }

  /** An unpublished photo of the Page. */
  #waiting(id: string, page: Page): Photo {
    const photo = this.#photos.get(id);
    if (photo?.page !== page) throw invalidParameter(`Object with ID '${id}' does not exist`);
    if (photo.postId !== null) throw new GraphError(100, "(#100) Photos already posted", { subcode: 1366051 });
    return photo;
  }

  /** `POST /{page}/photo_stories` */
  addPhotoStory({ fields }: Call, page: Page): Fields {
    const photo = this.#waiting(toText(fields.photo_id), page);
    const { id } = this.publishStory(page, [photo], null, [photo.file]);
    return { success: true, post_id: id };
  }

  publishStory(page: Page, photos: Photo[], videoId: string | null, media: LedgerMedia[]): Omit<Post, "createdAt"> {
    const id = newId();
    const url = `https://www.facebook.com/stories/${page.id}/${id}`;
    const post = { id, page, message: "", url, photos, link: null, videoId, story: true };
    this.publish(post, media, videoId);
    return post;
  }

  /** `GET /{page}/published_posts`, newest first, without stories. */
  list(call: Call, page: Page): Json {
    const limit = Number(toText(call.fields.limit) || "25");
    const bound = (name: string, otherwise: number) => Number(toText(call.fields[name]) || otherwise) * 1_000;
    const [since, until] = [bound("since", 0), bound("until", Number.MAX_SAFE_INTEGER / 1_000)];
    const posts = [...this.#posts.values()]
      .filter((post) => post.page === page && !post.story && listedAt(post) >= since && listedAt(post) <= until)
      .reverse()
      .sort((a, b) => listedAt(b) - listedAt(a));
    return { data: posts.slice(0, limit).map(toNode) };
  }

  /** `GET /{page}/stories` */
  stories(page: Page): Json {
    const stories = [...this.#posts.values()].filter((post) => post.page === page && post.story);
    const data = stories.map(({ id, createdAt, photos, videoId, url }) => ({
      post_id: id,
      status: "PUBLISHED",
      creation_time: String(Math.floor(createdAt / 1000)),
      media_type: videoId === null ? "photo" : "video",
      media_id: videoId ?? photos[0]?.id ?? "",
      url,
    }));
    return { data };
  }

  /** `GET /{post}/insights` */
  insights(call: Call, id: string): Json {
    if (!this.#posts.has(id)) throw noObject("GET", id);
    const metrics = toText(call.fields.metric).split(",").filter(Boolean);
    if (metrics.length === 0 || metrics.some((name) => !METRICS.includes(name)))
      throw invalidParameter("The value must be a valid insights metric");
    const data = metrics.map((name) => ({
      name,
      period: "lifetime",
      values: [{ value: name === "post_reactions_by_type_total" ? { like: figure(id, 11) } : figure(id, name.length) }],
      id: `${id}/insights/${name}/lifetime`,
    }));
    return { data };
  }
}

function attachedIds(value: Json | undefined): string[] {
  const list: unknown = typeof value === "string" ? JSON.parse(value) : value;
  if (list === undefined || list === null) return [];
  if (!Array.isArray(list)) throw invalidParameter("Param attached_media must be an array");
  return list.map((item: unknown) => {
    const id = isFields(item) ? toText(item.media_fbid) : "";
    if (id === "") throw invalidParameter("Param attached_media[0] must have a media_fbid");
    return id;
  });
}

function checkLink(link: string): void {
  if (!URL.canParse(link) || !/^https?:$/.test(new URL(link).protocol))
    throw invalidParameter("link URL is not properly formatted", 2061006);
  if (/(^|\.)facebook\.com$/.test(new URL(link).hostname))
    throw new GraphError(100, "(#100) Links to Facebook cannot be shared this way", { subcode: 1609008 });
}
