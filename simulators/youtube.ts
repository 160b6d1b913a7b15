// YouTube's Data API with Google's sign-in for a client program: a resumable session creates at most one video.

import { type Context, Hono } from "hono";
import { avatarUrl } from "./avatar.ts";
import { misbehave } from "./faults.ts";
import { findMarks } from "./marks.ts";
import type { Simulator, SimulatorEnv, World } from "./simulator.ts";
import { sniff } from "./sniff.ts";
import { type Account, Accounts, NEEDS } from "./youtube/accounts.ts";
import { addToPlaylist, findPlaylistItems, getPlaylists, setThumbnail } from "./youtube/additions.ts";
import { Captions } from "./youtube/captions.ts";
import { buildCategoryList } from "./youtube/categories.ts";
import { addComment } from "./youtube/comments.ts";
import { ApiError, badRequest, unauthorized } from "./youtube/errors.ts";
import { DEMO_ACCOUNT, mountOAuth } from "./youtube/oauth.ts";
import { checkResource, describe, parseParts, readComment } from "./youtube/resource.ts";
import { updateVideo } from "./youtube/update.ts";
import { readRange, type Session, Uploads } from "./youtube/uploads.ts";
import { type Video, Videos } from "./youtube/videos.ts";

const PLATFORM = "youtube";
const CALLS = [
  ...[
    "token",
    "tokeninfo",
    "revoke",
    "channels.list",
    "videos.list",
    "videos.update",
    "videos.delete",
    "videos.insert",
  ],
  "videoCategories.list",
  "commentThreads.insert",
  "thumbnails.set",
  ...["captions.session", "captions.insert", "captions.list"],
  ...["playlists.list", "playlistItems.insert", "playlistItems.list"],
  ...["upload.part", "upload.last", "upload.status"],
];
/** Videos per list call. */
const IDS_MAX = 50;

type C = Context<SimulatorEnv>;

export function createSimulator(world: World): Simulator {
  const accounts = new Accounts(world.state);
  const uploads = new Uploads(world);
  const videos = new Videos(world.state);
  const captions = new Captions(world);
  const app = new Hono<SimulatorEnv>();
  mountOAuth(app, world, accounts);

  app.get("/youtube/v3/channels", (c) => called(c, "channels.list", listChannels));
  app.get("/youtube/v3/videos", (c) => called(c, "videos.list", listVideos));
  app.get("/youtube/v3/videoCategories", (c) => called(c, "videoCategories.list", listCategories));
  app.post("/youtube/v3/commentThreads", (c) => called(c, "commentThreads.insert", comment));
  app.get("/youtube/v3/playlists", (c) => called(c, "playlists.list", listPlaylists));
  app.get("/youtube/v3/playlistItems", (c) => called(c, "playlistItems.list", listPlaylistItems));
  app.post("/youtube/v3/playlistItems", (c) =>
    called(c, "playlistItems.insert", async () => {
      const account = accounts.authorize(c.req.header("authorization"), NEEDS.manage);
      if (c.req.query("part") !== "snippet") throw badRequest("missingRequiredParameter", "part");
      const body: unknown = await c.req.json().catch(() => undefined);
      return Response.json(addToPlaylist(world, account, (id) => videos.find(id, account), body));
    }),
  );
  app.post("/upload/youtube/v3/thumbnails/set", (c) =>
    called(c, "thumbnails.set", async () => {
      const account = accounts.authorize(c.req.header("authorization"), NEEDS.write);
      const video = videos.find(c.req.query("videoId") ?? "", account);
      return Response.json(await setThumbnail(world, account, video, c.req.raw.body));
    }),
  );
  captions.mount(app, {
    called,
    checkBearer,
    authorize: (c) => accounts.authorize(c.req.header("authorization"), NEEDS.manage),
    find: (id, account) => videos.find(id, account),
  });
  app.put("/youtube/v3/videos", (c) =>
    called(c, "videos.update", async () => {
      const account = accounts.authorize(c.req.header("authorization"), NEEDS.manage);
      return Response.json(await updateVideo(world, videos, account, c));
    }),
  );
  app.delete("/youtube/v3/videos", (c) => called(c, "videos.delete", deleteVideo));
  app.post("/upload/youtube/v3/videos", (c) => called(c, "videos.insert", startUpload));
  app.put("/upload/youtube/v3/videos", (c) => {
    const session = uploads.find(c.req.query("upload_id"));
    const range = readRange(c.req.header("content-range"), session?.bytes ?? 0);
    if (range?.is !== "part") return called(c, "upload.status", () => status(c, session), session?.account);
    const call = range.to + 1 === range.total ? "upload.last" : "upload.part";
    return called(c, call, () => upload(c, session), session?.account);
  });
  /** An answer before the whole body is read would close the connection while the client is still sending. */
  async function readAway({ req }: C): Promise<void> {
    if (!req.raw.bodyUsed) await req.raw.body?.pipeTo(new WritableStream()).catch(() => {});
  }

  app.all("*", (c) => new Response(`The requested URL ${c.req.path} was not found on this server.`, { status: 404 }));

  function called(c: C, call: string, act: (c: C) => Response | Promise<Response>, owner?: Account): Promise<Response> {
    const token = /^Bearer (.+)$/i.exec(c.req.header("authorization") ?? "")?.[1] ?? "";
    const names = owner === undefined ? accounts.namesOf(token) : [owner.handle, owner.channelId, owner.name];
    return misbehave(world.faults.take(PLATFORM, call, names), c.env, async () => {
      try {
        return await act(c);
      } catch (error) {
        if (error instanceof ApiError) return error.answer();
        throw error;
      } finally {
        await readAway(c);
      }
    });
  }

  function listChannels(c: C): Response {
    const account = accounts.authorize(c.req.header("authorization"), NEEDS.read);
    if (!c.req.query("part")) throw badRequest("missingRequiredParameter", "part");
    if (c.req.query("mine") !== "true") throw badRequest("missingRequiredParameter", "No filter selected.");
    const { name, channelId: id, handle } = account;
    const url = avatarUrl("yt3.ggpht.com", id);
    const channel = {
      kind: "youtube#channel",
      id,
      snippet: { title: name, customUrl: handle, thumbnails: { default: { url } } },
    };
    // Google omits an empty `items`.
    const items = name.startsWith("nochannel_") ? {} : { items: [channel] };
    return Response.json({ kind: "youtube#channelListResponse", ...items });
  }

  async function startUpload(c: C): Promise<Response> {
    const account = accounts.authorize(c.req.header("authorization"), NEEDS.write);
    if (account.name.startsWith("nochannel_"))
      throw new ApiError(401, "youtubeSignupRequired", "Unauthorized", "youtube.header");
    if (account.name.startsWith("suspended_"))
      throw new ApiError(403, "authenticatedUserAccountSuspended", "The account is suspended.", "youtube.common");
    const { uploadType, part, notifySubscribers } = c.req.query();
    if (uploadType !== "resumable") throw badRequest("badRequest", "uploadType must be resumable here");
    const resource = checkResource(await c.req.json().catch(() => undefined), part);
    const type = c.req.header("x-upload-content-type") ?? "";
    const length = c.req.header("x-upload-content-length") ?? "";
    const session = uploads.start(account, resource, notifySubscribers !== "false", length, type);
    const query = new URLSearchParams({ uploadType: "resumable", part: part ?? "", upload_id: session.id });
    const location = `https://www.googleapis.com/upload/youtube/v3/videos?${query}`;
    return new Response(null, { status: 200, headers: { location, "x-guploader-uploadid": session.id } });
  }

  /** The address of a session is enough, but a token that is sent must be valid. */
  function checkBearer(c: C): void {
    const header = c.req.header("authorization");
    if (header !== undefined && accounts.access(header.replace(/^Bearer /i, "")) === undefined) throw unauthorized();
  }

  async function status(c: C, session: Session | undefined): Promise<Response> {
    if (c.req.header("content-length") === undefined) return new Response("Length Required", { status: 411 });
    if (session === undefined) return new Response("Not Found", { status: 404 });
    checkBearer(c);
    if (c.req.header("content-range") === undefined || readRange(c.req.header("content-range"), 0) === null)
      return new Response("Failed to parse Content-Range header.", { status: 400 });
    return progress(c, session, 200);
  }

  async function upload(c: C, session: Session | undefined): Promise<Response> {
    if (session === undefined) return new Response("Not Found", { status: 404 });
    checkBearer(c);
    const range = readRange(c.req.header("content-range"), session.bytes);
    if (range?.is !== "part") return status(c, session);
    if (session.video === null) {
      const keepHalf = session.account.name.startsWith("slow_");
      const refused = await uploads.take(session, range, c.req.raw.body, keepHalf);
      if (refused !== null) return refused;
    }
    return progress(c, session, 201);
  }

  async function progress(c: C, session: Session, status: number): Promise<Response> {
    const { received, account, bytes } = session;
    if (received < bytes) {
      const range: Record<string, string> = received === 0 ? {} : { range: `bytes=0-${received - 1}` };
      return new Response(null, { status: 308, headers: range });
    }
    session.video ??= publish(session);
    const video = videos.find((await session.video).id, account);
    // A session ends when its video is deleted.
    if (video === undefined) return new Response("Not Found", { status: 404 });
    return Response.json(videos.view(video, parseParts(c.req.query("part")), account), { status });
  }

  async function publish({ id, account, resource, notify, file: receiving }: Session): Promise<Video> {
    const received = await receiving;
    // A file too large to be kept was not inspected.
    const bytes = world.ledger.bytesOf(received.sha256)?.bytes;
    const isVideo = bytes === undefined || sniff(bytes)?.startsWith("video/") === true;
    const file = isVideo ? received : { ...received, type: "application/octet-stream" };
    const video = videos.add(account, resource, file);
    const { title, description, ...snippet } = resource.snippet;
    world.ledger.accept({
      platform: PLATFORM,
      account: account.handle,
      id: video.id,
      text: description,
      media: [{ ...file, alt: null }],
      token: id,
      url: `https://www.youtube.com/watch?v=${video.id}`,
      detail: {
        title,
        ...snippet,
        ...resource.status,
        ...resource.paidProductPlacementDetails,
        ...resource.recordingDetails,
        notify,
        notes: describe(resource),
      },
      shown: { marks: findMarks(description, ["links", "names", "tags"]), card: null },
    });
    return video;
  }

  function listVideos(c: C): Response {
    const account = accounts.authorize(c.req.header("authorization"), NEEDS.read);
    const parts = parseParts(c.req.query("part"));
    const ids = (c.req.query("id") ?? "").split(",").filter((id) => id !== "");
    if (ids.length === 0) throw badRequest("missingRequiredParameter", "No filter selected.");
    if (ids.length > IDS_MAX) throw badRequest("invalidFilters", `id: at most ${IDS_MAX}`);
    const items = ids.flatMap((id) => {
      const video = videos.find(id, account);
      if (video === undefined) return [];
      const view = videos.view(video, parts, account);
      video.polls++;
      return [view];
    });
    const pageInfo = { totalResults: items.length, resultsPerPage: items.length };
    return Response.json({ kind: "youtube#videoListResponse", items, pageInfo });
  }

  function listCategories(c: C): Response {
    accounts.authorize(c.req.header("authorization"), NEEDS.read);
    return Response.json(buildCategoryList(c.req.query()));
  }

  /** One playlist per page, so that callers must paginate. */
  function listPlaylists(c: C): Response {
    const account = accounts.authorize(c.req.header("authorization"), NEEDS.read);
    const { part, mine, pageToken = "0" } = c.req.query();
    if (part !== "snippet") throw badRequest("missingRequiredParameter", "part");
    if (mine !== "true") throw badRequest("missingRequiredParameter", "No filter selected.");
    const playlists = getPlaylists(account);
    const startIndex = Number(pageToken);
    const items = playlists.slice(startIndex, startIndex + 1).map(({ id, title }) => ({
      kind: "youtube#playlist",
      id,
      snippet: { title, channelId: account.channelId },
    }));
    const pageInfo = { totalResults: playlists.length, resultsPerPage: 1 };
    const next = startIndex + 1 < playlists.length ? { nextPageToken: String(startIndex + 1) } : {};
    return Response.json({ kind: "youtube#playlistListResponse", items, pageInfo, ...next });
  }

  function listPlaylistItems(c: C): Response {
    accounts.authorize(c.req.header("authorization"), NEEDS.read);
    const { part, playlistId, videoId = "" } = c.req.query();
    if (part === undefined || playlistId === undefined) throw badRequest("missingRequiredParameter", "playlistId");
    const items = findPlaylistItems(world, playlistId, videoId);
    const pageInfo = { totalResults: items.length, resultsPerPage: 5 };
    return Response.json({ kind: "youtube#playlistItemListResponse", items, pageInfo });
  }

  async function comment(c: C): Promise<Response> {
    const account = accounts.authorize(c.req.header("authorization"), NEEDS.manage);
    if (c.req.query("part") !== "snippet") throw badRequest("missingRequiredParameter", "part");
    const requestedComment = readComment(await c.req.json().catch(() => undefined));
    return Response.json(addComment(world, account, videos.find(requestedComment.videoId, account), requestedComment));
  }

  function deleteVideo(c: C): Response {
    const account = accounts.authorize(c.req.header("authorization"), NEEDS.manage);
    const id = c.req.query("id") ?? "";
    const video = videos.find(id, account);
    if (video === undefined) throw new ApiError(404, "videoNotFound", "The video cannot be found.", "youtube.video");
    if (video.account.name !== account.name)
      throw new ApiError(403, "forbidden", "The video is not yours.", "youtube.video");
    videos.remove(id);
    const entry = world.ledger.find(PLATFORM, id);
    if (entry !== undefined) entry.deleted = true;
    return new Response(null, { status: 204 });
  }

  return {
    platform: PLATFORM,
    app,
    expireToken: (account) => accounts.expire(account),
    remove(id) {
      videos.remove(id);
    },
    reset(account) {
      uploads.forget(account);
      videos.forget(account);
      captions.forget(account);
      accounts.forget(account);
    },
    calls: CALLS,
    publishCalls: { default: "upload.last" },
    demo: {
      handle: `@${DEMO_ACCOUNT}`,
      credentials: { access_token: `ya29.${DEMO_ACCOUNT}`, refresh_token: `1//${DEMO_ACCOUNT}` },
      options: { title: "Hello from Crier", made_for_kids: false },
    },
  };
}
