// Facebook Pages for a client program: graph.facebook.com, graph-video, rupload and the dialog, all under one path.
//
// Tokens: see facebook/people.ts. Faults name a call by its edge and phase.
import { Hono } from "hono";
import { GRAPH_VERSIONS } from "./containers/versions.ts";
import {
  type Call,
  GraphError,
  type HttpCall,
  invalidParameter,
  type Json,
  noObject,
  readCall,
  render,
  select,
  toText,
} from "./facebook/graph.ts";
import {
  accessToken,
  accounts,
  businesses,
  debugToken,
  dialog,
  me,
  pageFields,
  permissions,
} from "./facebook/oauth.ts";
import { needScope, type Page, People, type Session } from "./facebook/people.ts";
import { toNode } from "./facebook/post-node.ts";
import { PLATFORM, Posts } from "./facebook/posts.ts";
import { Videos } from "./facebook/videos.ts";
import { misbehave } from "./faults.ts";
import { hasPersona } from "./personas.ts";
import type { Simulator, SimulatorEnv, World } from "./simulator.ts";

/** `node` reads any object by its id, `update` changes one, `delete` deletes one. */
const CALLS = [
  ...["access_token", "debug_token", "me", "accounts", "permissions", "businesses", "owned_pages", "client_pages"],
  ...["feed", "photos", "photo_stories", "video-upload", "videos.start", "videos.transfer", "videos.finish"],
  ...["video_reels.start", "video_reels.finish", "video_stories.start", "video_stories.finish"],
  ...["comments", "thumbnails", "published_posts", "stories", "insights", "node", "update", "delete"],
];
const VERSION = "v26.0";
/** How many calls a Page can make before the network reports the Page's usage. */
const CALLS_UNTOLD = 20;

export function createSimulator(world: World): Simulator {
  const people = new People(world.state);
  const posts = new Posts(world);
  const videos = new Videos(world, posts);
  const app = new Hono<SimulatorEnv>();

  /** All names of the account that a call concerns, for fault matching. */
  function listAccountNames({ token, node }: Call): string[] {
    const session = people.owner(token);
    const page = session?.page ?? people.find(node);
    return [page?.id, page?.username, session?.person?.name, session?.person?.id].filter((name) => name !== undefined);
  }

  /** Answers a call according to its fault, with the network's headers. */
  async function answer(c: HttpCall, name: string, call: Call, act: () => Promise<Response>): Promise<Response> {
    return misbehave(world.faults.take(PLATFORM, name, listAccountNames(call)), c.env, async () => {
      const response = await act().catch((error: unknown) => {
        if (error instanceof GraphError) return render(error);
        throw error;
      });
      response.headers.set("facebook-api-version", c.req.param("version") ?? VERSION);
      const page = people.owner(call.token)?.page ?? null;
      if (page !== null && ++page.calls > CALLS_UNTOLD) {
        const call_count = Math.min(100, Math.ceil(page.calls / 48));
        const usage = {
          type: "pages",
          call_count,
          total_cputime: 1,
          total_time: 1,
          estimated_time_to_regain_access: 0,
        };
        response.headers.set("x-business-use-case-usage", JSON.stringify({ [page.id]: [usage] }));
      }
      return response;
    });
  }

  app.on(["GET", "POST"], "/:version/dialog/oauth", async (c) => dialog(await readCall(c), people));

  app.post("/video-upload/:version/:video", async (c) => {
    const token = /^OAuth (.+)$/.exec(c.req.header("authorization") ?? "")?.[1] ?? "";
    const call: Call = { method: "POST", node: "", edge: "video-upload", fields: {}, chunk: null, token };
    return answer(c, "video-upload", call, async () => {
      const { page } = people.session(token);
      if (page === null) throw noObject("POST", c.req.param("video"));
      return videos.upload(c.req.param("video"), page, (name) => c.req.header(name), c.req.raw.body);
    });
  });

  const graph = async (c: HttpCall) => {
    let call: Call;
    try {
      call = await readCall(c);
    } catch (error) {
      if (error instanceof GraphError) return render(error);
      throw error;
    }
    const { edge, node, fields, method } = call;
    const phase = toText(fields.upload_phase);
    const read = node === "me" || node === "debug_token" ? node : method === "POST" ? "update" : "node";
    const name =
      method === "DELETE" && edge === "" ? "delete" : edge === "" ? read : phase === "" ? edge : `${edge}.${phase}`;
    return answer(c, name, call, async () => {
      if (!GRAPH_VERSIONS.test(c.req.param("version") ?? ""))
        throw new GraphError(2500, `Unknown path components: /${c.req.param("node")}`);
      return Response.json(await act(call));
    });
  };
  app.all("/:version{v[0-9.]+}/:node", graph);
  app.all("/:version{v[0-9.]+}/:node/:edge", graph);
  app.all("*", (c) => render(new GraphError(2500, `Unknown path components: ${c.req.path}`)));

  async function act(call: Call): Promise<Json> {
    const { method, node, edge, token } = call;
    if (node === "oauth" && edge === "access_token") return accessToken(call, people);
    if (node === "debug_token") return debugToken(call, people);
    const session = people.session(token);
    if (node === "me" && edge === "") return select(call, session.page === null ? "User" : "Page", me(session));
    if (node === "me" && edge === "accounts") return accounts(call, session, people);
    if (["businesses", "owned_pages", "client_pages"].includes(edge)) return businesses(call, session, people);
    if (node === "me" && edge === "permissions" && method === "DELETE" && session.person !== null) {
      people.revoke(session.person);
      return { success: true };
    }
    if (node === "me" && edge === "permissions") return permissions(session);
    if (edge === "" && method === "POST") return update(call, session);
    if (edge === "") return method === "DELETE" ? remove(node, session) : read(call, session);
    const write = method === "POST" ? WRITES[edge] : undefined;
    if (write !== undefined) return write(call, own(call, session));
    if (method === "POST" && edge === "comments") {
      needScope(session, "pages_manage_engagement");
      return posts.comment(call, session.page);
    }
    if (method === "POST" && edge === "thumbnails") {
      needScope(session, "pages_manage_engagement");
      return videos.setThumbnail(call, session.page);
    }
    if (method === "GET" && edge === "published_posts") return posts.list(call, readable(call, session));
    if (method === "GET" && edge === "stories") return posts.stories(readable(call, session));
    if (method === "GET" && edge === "insights") {
      needScope(session, "read_insights");
      return posts.insights(call, node);
    }
    throw new GraphError(2500, `Unknown path components: /${edge}`);
  }

  const WRITES: Record<string, (call: Call, page: Page) => Json | Promise<Json>> = {
    feed: (call, page) => posts.addPost(call, page),
    photos: (call, page) => posts.addPhoto(call, page),
    photo_stories: (call, page) => posts.addPhotoStory(call, page),
    video_reels: (call, page) => videos.phase(call, page, "reel"),
    video_stories: (call, page) => videos.phase(call, page, "story"),
    videos: (call, page) => videos.plain(call, page),
  };

  /** The Page in the path, to which only its own token may write. */
  function own({ method, node }: Call, session: Session): Page {
    const { page, person } = session;
    if (page === null || page.id !== node) {
      // The token belongs to a person who manages this Page, and not to the Page.
      if (page === null && person?.pages.some(({ id }) => id === node))
        throw new GraphError(210, "(#210) A page access token is required to request this resource.");
      throw noObject(method, node);
    }
    needScope(session, "pages_manage_posts");
    if (person !== null && !person.creates)
      throw new GraphError(200, "(#200) The user hasn't the task CREATE_CONTENT on this page");
    return page;
  }

  function readable({ method, node }: Call, session: Session): Page {
    if (session.page === null || session.page.id !== node) throw noObject(method, node);
    needScope(session, "pages_read_engagement");
    return session.page;
  }

  /** Any object by its id. */
  function read(call: Call, session: Session): Json {
    const { node } = call;
    const page = people.find(node);
    const mine = session.person?.pages ?? (session.page === null ? [] : [session.page]);
    if (page !== undefined && mine.includes(page)) {
      const access_token = session.page === null ? people.pageToken(session, page) : null;
      return select(call, "Page", { ...pageFields(page), access_token });
    }
    if (hasPersona(session.page?.username ?? "", "outage_100_33")) throw noObject("GET", node);
    const post = posts.find(node);
    if (post?.page === session.page && post !== undefined) {
      needScope(session, "pages_read_engagement");
      const message = post.message === "" ? null : post.message;
      return select(call, "Post", { attachments: null, ...toNode(post), message });
    }
    const photo = posts.photo(node);
    if (photo?.page === session.page && photo !== undefined)
      return select(call, "Photo", { id: photo.id, page_story_id: photo.postId });
    const video = videos.find(node);
    if (video?.page === session.page && video !== undefined) return select(call, "Video", videos.nodeOf(video));
    throw noObject("GET", node);
  }

  function remove(id: string, session: Session): Json {
    // A video and the post that shows it are deleted together.
    const post = posts.find(videos.find(id)?.finished?.postId ?? id);
    if (post === undefined || post.page !== session.page) throw noObject("DELETE", id);
    needScope(session, "pages_manage_posts");
    forgetPost(post.id);
    const entry = world.ledger.find(PLATFORM, post.id);
    if (entry !== undefined) entry.deleted = true;
    return { success: true };
  }

  /** `POST /{post}` with a new `message`, or `POST /{video}` with a new `description`: pages-api/posts, read 2026-11-27. */
  function update({ node, fields }: Call, session: Session): Json {
    const video = videos.find(node);
    const post = posts.find(video?.finished?.postId ?? node);
    if (post === undefined || post.page !== session.page || post.story) throw noObject("POST", node);
    needScope(session, "pages_manage_posts");
    const text = fields[video === undefined ? "message" : "description"];
    if (typeof text !== "string" || text === "") throw invalidParameter("Missing message");
    posts.edit(post, text);
    if (video !== undefined) video.description = text;
    return { success: true };
  }

  function forgetPost(id: string): void {
    posts.remove(id);
    videos.remove(id);
  }

  return {
    platform: PLATFORM,
    app,
    expireToken: (account) => people.expire(account),
    remove: forgetPost,
    reset(account) {
      const page = account === undefined ? undefined : people.find(account);
      if (account === undefined || page !== undefined) {
        posts.forget(page);
        videos.forget(page);
      }
      people.forget(account);
    },
    calls: CALLS,
    publishCalls: { default: "feed", reel: "video_reels.finish", story: "photo_stories" },
    demo: { handle: "crier_demo", credentials: { access_token: "EAAuser-crier_demo" } },
  };
}
