// Captions of a video: a resumable session, whose bytes add one track, and the list of tracks. captions.insert and captions.list,
// discovery revision 20260427, read 2026-11-27; the names of the errors are from memory. A video has one track for each language and name.
import { randomBytes } from "node:crypto";
import type { Context, Hono } from "hono";
import * as z from "zod";
import type { SimulatorEnv, World } from "../simulator.ts";
import type { Account } from "./accounts.ts";
import { ApiError, badRequest } from "./errors.ts";
import type { Video } from "./videos.ts";

const BYTES_MAX = 100 * 1024 * 1024;
const NAME_MAX = 150;
const DOMAIN = "youtube.caption";
/** How SubRip and WebVTT begin. */
const BEGINNING = /^\uFEFF?(?:WEBVTT|\s*\d+\s*\r?\n\d\d:\d\d:\d\d,\d{3} -->)/;

interface Session {
  account: Account;
  videoId: string;
  language: string;
  name: string;
}
interface Track extends Session {
  id: string;
}

type C = Context<SimulatorEnv>;
/** The services that the rest of the simulator offers a call. */
interface Surroundings {
  called(c: C, call: string, act: (c: C) => Response | Promise<Response>, owner?: Account): Promise<Response>;
  authorize(c: C): Account;
  checkBearer(c: C): void;
  find(id: string, viewer: Account): Video | undefined;
}

const Caption = z.object({
  snippet: z.object({ videoId: z.string(), language: z.string(), name: z.string(), isDraft: z.boolean().optional() }),
});

export class Captions {
  readonly #sessions = new Map<string, Session>();
  readonly #tracks: Map<string, Track>;
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
    this.#tracks = world.state.map("youtube.captions");
  }

  mount(app: Hono<SimulatorEnv>, { called, checkBearer, authorize, find }: Surroundings): void {
    app.get("/youtube/v3/captions", (c) =>
      called(c, "captions.list", () => {
        const account = authorize(c);
        if (c.req.query("part") !== "snippet") throw badRequest("missingRequiredParameter", "part");
        return Response.json(this.list(c.req.query("videoId") ?? "", (id) => find(id, account)));
      }),
    );
    app.post("/upload/youtube/v3/captions", (c) =>
      called(c, "captions.session", async () => {
        const account = authorize(c);
        const { uploadType, part = "" } = c.req.query();
        if (part !== "snippet") throw badRequest("missingRequiredParameter", "part");
        if (uploadType !== "resumable") throw badRequest("badRequest", "uploadType must be resumable here");
        const body: unknown = await c.req.json().catch(() => undefined);
        const upload_id = this.start(account, (id) => find(id, account), body);
        const query = new URLSearchParams({ uploadType, part, upload_id });
        const location = `https://www.googleapis.com/upload/youtube/v3/captions?${query}`;
        return new Response(null, { status: 200, headers: { location } });
      }),
    );
    app.put("/upload/youtube/v3/captions", (c) => {
      const session = this.#sessions.get(c.req.query("upload_id") ?? "");
      const finish = async () => {
        if (session === undefined) return new Response("Not Found", { status: 404 });
        checkBearer(c);
        return Response.json(await this.finish(session, c.req.raw.body));
      };
      return called(c, "captions.insert", finish, session?.account);
    });
  }

  /** Returns the id of a session, which adds nothing before its bytes arrive. */
  start(account: Account, find: (id: string) => Video | undefined, body: unknown): string {
    const snippet = Caption.safeParse(body).data?.snippet;
    if (snippet === undefined || !/^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$/.test(snippet.language))
      throw badRequest("invalidMetadata", "The request contains invalid metadata values.");
    if (snippet.name.length > NAME_MAX) throw badRequest("nameTooLong", "The name of the caption track is too long.");
    const video = find(snippet.videoId);
    if (video === undefined) throw new ApiError(404, "videoNotFound", "The video cannot be found.", DOMAIN);
    if (video.account.name !== account.name)
      throw new ApiError(403, "forbidden", "The permissions are not sufficient.", DOMAIN);
    const session = { account, videoId: snippet.videoId, language: snippet.language, name: snippet.name };
    this.#refuseSecond(session);
    const id = randomBytes(24).toString("base64url");
    this.#sessions.set(id, session);
    return id;
  }

  async finish(session: Session, body: ReadableStream<Uint8Array> | null): Promise<object> {
    const { ledger } = this.#world;
    const file = await ledger.receive(body, "text/plain");
    if (file.bytes === 0) throw badRequest("contentRequired", "The request does not contain the caption track.");
    const text = Buffer.from(ledger.bytesOf(file.sha256)?.bytes ?? []).toString("utf8");
    if (file.bytes > BYTES_MAX || !BEGINNING.test(text))
      throw badRequest("invalidMetadata", "The caption track cannot be read.");
    this.#refuseSecond(session);
    const track: Track = { ...session, id: randomBytes(16).toString("base64url") };
    this.#tracks.set(track.id, track);
    ledger.append("youtube", track.videoId, "captions", { ...file, lang: track.language });
    return view(track);
  }

  #refuseSecond({ videoId, language, name }: Session): void {
    for (const track of this.#tracks.values()) {
      if (track.videoId !== videoId || track.language !== language || track.name !== name) continue;
      const message = "The specified video already has a caption track with the given language and name.";
      throw new ApiError(409, "captionExists", message, DOMAIN);
    }
  }

  list(videoId: string, find: (id: string) => Video | undefined): object {
    if (find(videoId) === undefined) throw new ApiError(404, "videoNotFound", "The video cannot be found.", DOMAIN);
    const items = [...this.#tracks.values()].filter((track) => track.videoId === videoId).map(view);
    return { kind: "youtube#captionListResponse", etag: videoId, items };
  }

  forget(account?: string): void {
    for (const [id, { account: owner }] of this.#tracks)
      if (account === undefined || [owner.name, owner.handle, owner.channelId].includes(account))
        this.#tracks.delete(id);
  }
}

const view = ({ id, videoId, language, name }: Track) => ({
  kind: "youtube#caption",
  etag: id,
  id,
  snippet: { videoId, language, name, trackKind: "standard", isDraft: false, status: "serving" },
});
