// What is kept of an account: its tokens, and the token of a post on its way.
import * as z from "zod";

export const Credential = z.object({
  /** The account's lasting id towards this app. */
  open_id: z.string(),
  access_token: z.string(),
  refresh_token: z.string().nullable(),
  /** Epoch milliseconds at which `access_token` ends. */
  expires_at: z.number(),
});
export type Credential = z.output<typeof Credential>;

const Post = z.object({
  kind: z.enum(["video", "photo"]),
  /** As written; by it a post is found again whose answer was lost. */
  text: z.string(),
  title: z.string().nullable(),
  /** Only public posts have an address and figures. */
  public: z.boolean(),
  /** Whose profile the post is on, at the time it was made ready. */
  username: z.string(),
});
/** What is remembered of a post until its end. */
export type Post = z.output<typeof Post>;

export const Token = z.discriminatedUnion("step", [
  /** A video of which the first `sent` bytes are up. `publish_id` is the post's handle for good. */
  z.object({
    step: z.literal("upload"),
    publish_id: z.string(),
    upload_url: z.string(),
    bytes: z.number(),
    chunk_bytes: z.number(),
    sent: z.number(),
    /** Epoch milliseconds at which the upload was opened. */
    since: z.number(),
    post: Post,
  }),
  /** Photos with the exact request that publishes them. */
  z.object({ step: z.literal("photos"), request: z.record(z.string(), z.json()), since: z.number(), post: Post }),
  /** The network has everything and works on it. */
  z.object({ step: z.literal("accepted"), publish_id: z.string(), since: z.number(), post: Post }),
]);
export type Token = z.output<typeof Token>;
export type Upload = Extract<Token, { step: "upload" }>;
export type Photos = Extract<Token, { step: "photos" }>;
