// Videos, whose processing advances with each poll. `locked_…` channels have every video made private, as uploads of
// unverified projects were until 2026-11-02; `rejected_…` channels have every video rejected as a duplicate; a file that is
// not a video fails.
import { createHash, randomBytes } from "node:crypto";
import type { ReceivedFile } from "../ledger.ts";
import type { State } from "../state.ts";
import type { Account } from "./accounts.ts";
import type { Resource } from "./resource.ts";

export interface Video {
  id: string;
  account: Account;
  resource: Resource;
  file: ReceivedFile;
  publishedAt: string;
  /** How often it was listed. */
  polls: number;
}

export class Videos {
  readonly #videos: Map<string, Video>;

  constructor(state: State) {
    this.#videos = state.map("youtube.videos");
  }

  add(account: Account, resource: Resource, file: ReceivedFile): Video {
    const id = randomBytes(8).toString("base64url");
    const video = { id, account, resource, file, publishedAt: new Date().toISOString(), polls: 0 };
    this.#videos.set(id, video);
    return video;
  }

  /** A video that an account may see; other accounts' private videos are missing. */
  find(id: string, viewer: Account): Video | undefined {
    const video = this.#videos.get(id);
    if (video === undefined) return undefined;
    const isOwner = video.account.name === viewer.name;
    return isOwner || video.resource.status.privacyStatus !== "private" ? video : undefined;
  }

  remove(id: string): boolean {
    return this.#videos.delete(id);
  }

  forget(account?: string): void {
    for (const [
      id,
      {
        account: { name, handle, channelId },
      },
    ] of this.#videos)
      if (account === undefined || [name, handle, channelId].includes(account)) this.#videos.delete(id);
  }

  /** The resource with the requested parts. Processing ends at the second poll. */
  view(video: Video, parts: string[], viewer: Account): object {
    const { id, account, resource, file, publishedAt } = video;
    const isOwner = viewer.name === account.name;
    const uploadStatus = getUploadStatus(video);
    const view: Record<string, unknown> = { kind: "youtube#video", etag: id, id };
    if (parts.includes("snippet"))
      view.snippet = { ...resource.snippet, publishedAt, channelId: account.channelId, channelTitle: account.name };
    if (parts.includes("status")) {
      const { selfDeclaredMadeForKids: kids = false } = resource.status;
      const privacyStatus = account.name.startsWith("locked_") ? "private" : resource.status.privacyStatus;
      view.status = { ...resource.status, privacyStatus, ...uploadStatus, madeForKids: kids };
    }
    if (parts.includes("processingDetails") && isOwner) {
      const processingStatus =
        { uploaded: "processing", processed: "succeeded" }[uploadStatus.uploadStatus] ?? "failed";
      view.processingDetails = { processingStatus };
    }
    if (parts.includes("statistics")) view.statistics = makeStatistics(file, id);
    return view;
  }
}

interface UploadStatus {
  uploadStatus: string;
  failureReason?: string;
  rejectionReason?: string;
}

function getUploadStatus({ polls, file, account }: Video): UploadStatus {
  if (polls === 0) return { uploadStatus: "uploaded" };
  if (!file.type.startsWith("video/")) return { uploadStatus: "failed", failureReason: "invalidFile" };
  if (account.name.startsWith("rejected_")) return { uploadStatus: "rejected", rejectionReason: "duplicate" };
  return { uploadStatus: "processed" };
}

/** Small figures that are always the same for a video, as strings; `favoriteCount` is always 0. */
function makeStatistics(file: ReceivedFile, id: string): Record<string, string> {
  const [views = 0, likes = 0, comments = 0] = createHash("sha256")
    .update(id + file.sha256)
    .digest();
  return {
    viewCount: String(100 + views),
    likeCount: String(likes % 100),
    favoriteCount: "0",
    commentCount: String(comments % 10),
  };
}
