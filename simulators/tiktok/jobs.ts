// A post from its init call until it is visible: its progress, its audience, and the fields that the API reports.
import { randomBytes } from "node:crypto";
import type { Account } from "./accounts.ts";
import { type Fields, invalid, toText } from "./answers.ts";
import type { Upload } from "./uploads.ts";

/** How many polls report a post as processing, and how many further polls report no id for a post of a `slow_` account. */
const POLLS_IN_PROGRESS = 1;
const POLLS_IN_MODERATION = 2;

/** `publishId` is the key of the post, from its init call on. */
export interface Job {
  publishId: string;
  account: Account;
  kind: "video" | "photo";
  info: Fields;
  /** Whether the post goes to the inbox of the account's owner. */
  isDraft: boolean;
  upload: Upload | null;
  /** Set once the network has received everything. */
  since: number | null;
  polls: number;
  failReason: string | null;
  postId: string;
  deleted: boolean;
}

export type Begun = Pick<Job, "account" | "kind" | "info" | "isDraft" | "upload">;

export function newJob({ account, kind, info, isDraft, upload }: Begun): Job {
  // 19 digits, beyond 2^53.
  const postId = `75${BigInt(`0x${randomBytes(8).toString("hex")}`)}`.padEnd(19, "1").slice(0, 19);
  const name = kind === "video" ? `v_${isDraft ? "inbox" : "pub"}_file~v2-1` : `p_${isDraft ? "inbox" : "pub"}_url~v2`;
  const publishId = `${name}.${postId}`;
  const initialState = { since: null, polls: 0, failReason: null, deleted: false };
  return { publishId, account, kind, info, isDraft, upload, postId, ...initialState };
}

/** The progress of a post. Each poll advances it. */
export function pollStatus(job: Job): Fields {
  const bytes = job.upload === null ? {} : { uploaded_bytes: job.upload.uploaded };
  if (job.since !== null) job.polls++;
  if (job.since === null || job.polls <= POLLS_IN_PROGRESS)
    return { status: job.kind === "video" ? "PROCESSING_UPLOAD" : "PROCESSING_DOWNLOAD", ...bytes };
  if (job.failReason !== null) return { status: "FAILED", fail_reason: job.failReason, ...bytes };
  if (job.isDraft) return { status: "SEND_TO_USER_INBOX", ...bytes };
  return { status: "PUBLISH_COMPLETE", publicaly_available_post_id: isPublic(job) ? [job.postId] : [], ...bytes };
}

function isPublic({ account, info, isDraft, polls }: Job): boolean {
  if (isDraft) return false;
  if (info.privacy_level !== "PUBLIC_TO_EVERYONE") return false;
  return !account.username.startsWith("slow_") || polls > POLLS_IN_PROGRESS + POLLS_IN_MODERATION;
}

/** Whether the post is visible. A post is published even if its status is never polled. */
export function isListed(job: Job): boolean {
  return job.since !== null && job.failReason === null && !job.deleted && isPublic(job);
}

export function buildPostUrl({ account, kind, postId }: Job): string {
  return `https://www.tiktok.com/@${account.username}/${kind}/${postId}`;
}

/** The named fields of a post, as in the lists. */
export function view(job: Job, fieldList: string | undefined): Fields {
  const fields = (fieldList ?? "").split(",").filter(Boolean);
  if (fields.length === 0) throw invalid("Fields are required");
  const { kind, info, postId, since } = job;
  const seed = Number(postId.slice(-4));
  const videoFields: Fields = {
    id: postId,
    create_time: Math.floor((since ?? 0) / 1000),
    // At most 150 characters for both: doc/tiktok-api-v2-video-object, read 2026-11-22.
    title: toText(info.title).slice(0, 150),
    video_description: toText(kind === "video" ? info.title : info.description).slice(0, 150),
    share_url: `${buildPostUrl(job)}?utm_campaign=tt4d_open_api&utm_source=sandbox`,
    view_count: 100 + (seed % 900),
    like_count: seed % 97,
    comment_count: seed % 13,
    share_count: seed % 7,
  };
  return Object.fromEntries(fields.filter((name) => name in videoFields).map((name) => [name, videoFields[name]]));
}
