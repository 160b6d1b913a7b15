// Calls for a live video: thumbnails.set and playlistItems.insert, 50 units a call; discovery revision 20260427 and
// developers.google.com/youtube/data/reference/rest/v3, read 2026-11-22. A playlist needs the same scope as a takedown:
// MANAGE in rule.ts. For captions, see captions.ts.
import * as z from "zod";
import type { AdditionsOf } from "../network.ts";
import { readResult, unknown } from "../shared/http-call.ts";
import { API, call, UPLOAD_API } from "./api.ts";
import { captions } from "./captions.ts";
import { missing, notMade, readRejection } from "./errors.ts";
import type { Credential, PublishKey } from "./rule.ts";

const THUMBNAIL_TIMEOUT_MS = 120_000;

export const additions: AdditionsOf<Credential, PublishKey> = {
  thumbnail_media: {
    async add({ id: videoId }, { file }, context) {
      if (file === undefined) throw new Error("a thumbnail is set without its file");
      const url = `${UPLOAD_API}/thumbnails/set?${new URLSearchParams({ videoId, uploadType: "media" })}`;
      const init = {
        method: "POST",
        headers: { "content-type": file.contentType, "content-length": String(file.bytes) },
        body: context.io.sized(await file.open(), file.bytes),
      };
      const answer = await call(context, url, init, THUMBNAIL_TIMEOUT_MS);
      if (readResult(answer, z.object({ items: z.array(z.unknown()) })) !== undefined) return { is: "added" };
      // Setting the thumbnail again is harmless.
      return missing(answer) ?? readRejection(answer, context.io.now()) ?? notMade(answer, context.io.now());
    },
  },
  captions,
  playlist: {
    async add({ id: videoId }, { value: playlistId }, context) {
      const answer = await call(context, `${API}/playlistItems?part=snippet`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ snippet: { playlistId, resourceId: { kind: "youtube#video", videoId } } }),
      });
      if (readResult(answer, z.object({ id: z.string().min(1) })) !== undefined) return { is: "added" };
      return missing(answer) ?? notMade(answer, context.io.now());
    },
    // 1 unit. A playlist may contain a video twice, so the video is never added again.
    async isThere({ id: videoId }, { value }, context) {
      const query = new URLSearchParams({ part: "id", playlistId: String(value), videoId });
      const answer = await call(context, `${API}/playlistItems?${query}`);
      const items = readResult(answer, z.object({ items: z.array(z.unknown()).default([]) }))?.items;
      if (items !== undefined)
        return items.length > 0 ? { is: "added" } : { is: "not_found", detail: "the playlist does not show the video" };
      return missing(answer) ?? readRejection(answer, context.io.now()) ?? unknown(answer, context.io.now());
    },
  },
};
