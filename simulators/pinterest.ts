// Pinterest's API v5 for a client program. Every account has the boards 101 (public, with the section 7) and 102 (secret);
// an account whose name begins with `boards_` has 300 more.

import { createHash, randomBytes } from "node:crypto";
import { type Context, Hono } from "hono";
import { avatarUrl } from "./avatar.ts";
import { misbehave } from "./faults.ts";
import type { ReceivedFile } from "./ledger.ts";
import { type OAuthRules, OAuthServer, type Token } from "./oauth.ts";
import { hasPersona } from "./personas.ts";
import { buildPage, listBoards, requireBoard, SECTION } from "./pinterest/boards.ts";
import { type Pin, PinRefused, readPin } from "./pinterest/pin-rules.ts";
import { ApiError, toErrorResponse } from "./pinterest/problem.ts";
import { refuseByPersona } from "./pinterest/refused-pins.ts";
import { shown } from "./pinterest/shown.ts";
import type { Simulator, SimulatorEnv, World } from "./simulator.ts";

const PLATFORM = "pinterest";
const SCOPES = [
  "boards:read",
  "boards:write",
  "pins:read",
  "pins:write",
  "user_accounts:read",
  "boards:read_secret",
  "pins:read_secret",
];
/** The scopes of an app of the persona `smallest`. */
const SMALLEST = SCOPES.filter((scope) => !scope.endsWith("_secret"));
/** A link to `spam.…` gets the block, with the text that users report (seregazhuk/php-pinterest-bot issue 449). */
const SPAM = "Sorry! You've hit a block (Pins) we have in place to combat spam. Please try again later.";
const LIMIT = "This request exceeded a rate limit.";

interface Medium {
  account: string;
  file: ReceivedFile | null;
  /** Polls of its status: it is in processing for one poll. */
  polls: number;
}
interface Kept {
  pin: Pin;
  account: string;
  createdAt: string;
}
type Body = Record<string, unknown>;

const OAUTH: OAuthRules = {
  accessSeconds: 2_592_000,
  codeSeconds: 600,
  refresh: "rotates",
  pkce: false,
  scopes: SCOPES,
  scopeSeparator: ",",
  scopesOfApp: (clientId) => (hasPersona(clientId, "smallest") ? SMALLEST : SCOPES),
  // pinterest/api-quickstart issue 48, read 2026-11-24. The exact shape of the page is undocumented.
  showRefusedScopes: () => new Response("Invalid scopes requested", { status: 400 }),
};

export function createSimulator(world: World): Simulator {
  const oauth = new OAuthServer(OAUTH, world.state, PLATFORM);
  const media = world.state.map<string, Medium>("pinterest.media");
  const pins = world.state.map<string, Kept>("pinterest.pins");
  /** Accounts and links that have had their one transient refusal. */
  const excused = world.state.set<string>("pinterest.excused");
  const nextId = () => String(world.state.next(PLATFORM, 900_000_000_000n));
  const calls = new Set(["oauth/token", "upload"]);
  const app = new Hono<SimulatorEnv>();

  /** An API call with a token that has the scopes. */
  const route = (
    method: "get" | "post" | "delete",
    path: string,
    name: string,
    scopes: string[],
    act: (c: Context<SimulatorEnv>, token: Token) => Promise<Response> | Response,
  ) => {
    calls.add(name);
    app[method](path, (c) => {
      const token = oauth.tokenOf(c.req.header("authorization"));
      return misbehave(world.faults.take(PLATFORM, name, token === null ? [] : [token.account]), c.env, async () => {
        try {
          if (token === null) throw new ApiError(401, 2, "Authentication failed.");
          if (scopes.some((scope) => !token.scopes.includes(scope)))
            throw new ApiError(403, 29, "You are not permitted to access that resource.");
          return await act(c, token);
        } catch (error) {
          return toErrorResponse(error);
        }
      });
    });
  };

  app.get("/oauth/", (c) => oauth.authorize(c));
  app.post("/v5/oauth/token", async (c) =>
    misbehave(world.faults.take(PLATFORM, "oauth/token", await oauth.namesIn(c)), c.env, async () => {
      const fields: Body = await c.req.parseBody();
      const basic = /^Basic (.+)$/.exec(c.req.header("authorization") ?? "")?.[1] ?? "";
      const [clientId = "", secret = ""] = atob(basic).split(":");
      if (clientId === "" || secret === "") return toErrorResponse(new ApiError(401, 2, "Authentication failed."));
      const text = (name: string) => (typeof fields[name] === "string" ? fields[name] : "");
      const pair =
        text("grant_type") === "refresh_token"
          ? oauth.renew(text("refresh_token"))
          : oauth.exchange({ code: text("code"), redirect_uri: text("redirect_uri"), client_id: clientId });
      if (pair === null) return toErrorResponse(new ApiError(400, 283, "Invalid grant."));
      return c.json({
        access_token: pair.access,
        refresh_token: pair.refresh,
        token_type: "bearer",
        expires_in: 2_592_000,
        refresh_token_expires_in: 5_184_000,
        scope: oauth.scopeText(pair.scopes),
        response_type: text("grant_type"),
      });
    }),
  );

  route("get", "/v5/user_account", "user_account/get", ["user_accounts:read"], (c, { account }) =>
    c.json({
      id: userId(account),
      username: account,
      account_type: "BUSINESS",
      business_name: `${account}'s pins`,
      profile_image: avatarUrl("i.pinimg.com", account),
    }),
  );
  route("get", "/v5/boards", "boards/list", ["boards:read"], (c, { account, scopes }) => {
    const boards = listBoards(account).filter(
      ({ privacy }) => privacy !== "SECRET" || scopes.includes("boards:read_secret"),
    );
    const shownBoards = boards.map((board) => ({ ...board, owner: { username: account }, is_ads_only: false }));
    return c.json(buildPage(c, shownBoards));
  });
  route("get", "/v5/boards/:id/sections", "board_sections/list", ["boards:read"], (c, { account }) => {
    const board = requireBoard(account, c.req.param("id") ?? "");
    return c.json(buildPage(c, board === "101" ? [{ id: SECTION, name: "Section 7" }] : []));
  });
  route("get", "/v5/boards/:id/pins", "boards/list_pins", ["boards:read", "pins:read"], (c, { account }) => {
    const board = requireBoard(account, c.req.param("id") ?? "");
    const items = [...pins.entries()].filter(
      ([, storedPin]) => storedPin.account === account && storedPin.pin.board === board,
    );
    return c.json({ items: items.reverse().map(([id, storedPin]) => shown(id, storedPin)), bookmark: null });
  });

  route("post", "/v5/media", "media/create", ["pins:read", "pins:write"], async (c, { account }) => {
    const body: Body = await c.req.json();
    if (body.media_type !== "video") throw new ApiError(400, 1, "Invalid request: media_type must be video");
    const mediaId = nextId();
    media.set(mediaId, { account, file: null, polls: 0 });
    return c.json(
      {
        media_id: mediaId,
        media_type: "video",
        upload_url: `${world.origin()}/${PLATFORM}/upload`,
        upload_parameters: {
          key: mediaId,
          "Content-Type": "multipart/form-data",
          policy: randomBytes(8).toString("hex"),
        },
      },
      201,
    );
  });
  app.post("/upload", (c) =>
    misbehave(world.faults.take(PLATFORM, "upload", []), c.env, async () => {
      if (c.req.header("content-length") === undefined) return c.text("MissingContentLength", 411);
      const form = await c.req.formData();
      const medium = media.get(String(form.get("key")));
      const file = form.get("file");
      if (medium === undefined || !form.has("policy") || !(file instanceof File)) return c.text("AccessDenied", 403);
      medium.file = await world.ledger.receive(file.stream(), file.type);
      return c.body(null, 204);
    }),
  );
  route("get", "/v5/media/:id", "media/get", ["pins:read"], (c, { account }) => {
    const id = c.req.param("id") ?? "";
    const medium = media.get(id);
    if (medium === undefined || medium.account !== account) throw new ApiError(404, 2602, "Media not found.");
    return c.json({ media_id: id, media_type: "video", status: pollStatus(medium) });
  });

  route(
    "post",
    "/v5/pins",
    "pins/create",
    ["boards:read", "boards:write", "pins:read", "pins:write"],
    async (c, token) => {
      const { account } = token;
      const body: Body = await c.req.json();
      const pin = parsePin(body);
      requireBoard(account, pin.board);
      refuseByPersona(account, String(pin.link), excused);
      if (pin.section !== null && pin.section !== SECTION) throw new ApiError(404, 2031, "Board section not found.");
      if (pin.link !== null && new URL(pin.link).hostname.startsWith("spam.")) throw new ApiError(429, 8, LIMIT, SPAM);
      const { files, cover } = await takeFiles(pin.source, account);
      const id = nextId();
      const storedPin: Kept = { pin, account, createdAt: new Date().toISOString().slice(0, 19) };
      pins.set(id, storedPin);
      world.ledger.accept({
        platform: PLATFORM,
        account,
        id,
        text: pin.description,
        media: files.map((file) => ({ ...file, alt: pin.alt })),
        token: null,
        url: `https://www.pinterest.com/pin/${id}/`,
        detail: { board: pin.board, section: pin.section, title: pin.title, link: pin.link, source: pin.source },
        shown: { marks: [], card: null, ...(cover && { cover }) },
      });
      return c.json(shown(id, storedPin), 201);
    },
  );
  route("get", "/v5/pins/:id", "pins/get", ["boards:read", "pins:read"], (c) => {
    const { id, kept } = getPin(c.req.param("id"));
    const metrics = { impression: 40, clickthrough: 3, save: 2, pin_click: 5, reaction: 4, comment: 1 };
    return c.json({
      ...shown(id, kept),
      pin_metrics: c.req.query("pin_metrics") === "true" ? { "90d": metrics, lifetime_metrics: metrics } : null,
    });
  });
  route("delete", "/v5/pins/:id", "pins/delete", ["boards:write", "pins:write"], (c, { account }) => {
    const { id, kept } = getPin(c.req.param("id"));
    if (kept.account !== account) throw new ApiError(403, 29, "You are not permitted to access that resource.");
    pins.delete(id);
    const entry = world.ledger.find(PLATFORM, id);
    if (entry !== undefined) entry.deleted = true;
    return c.body(null, 204);
  });
  app.all("*", () => toErrorResponse(new ApiError(404, 12, "Not found.")));

  function getPin(id = ""): { id: string; kept: Kept } {
    const storedPin = pins.get(id);
    if (storedPin === undefined) throw new ApiError(404, 50, "Pin not found.");
    return { id, kept: storedPin };
  }
  async function fetchImage(url: string): Promise<ReceivedFile> {
    const file = await world.files.download(url);
    if (file === null) throw new ApiError(400, 1, "Invalid request: Unable to reach the URL");
    if (!["image/jpeg", "image/png", "image/webp", "image/gif"].includes(file.type))
      throw new ApiError(400, 1, "Invalid request: Sorry, we could not read this image");
    return { bytes: file.bytes, type: file.type, sha256: file.sha256 };
  }
  /** The files of a pin, and the cover of its video. */
  async function takeFiles(source: Pin["source"], account: string): Promise<{ files: ReceivedFile[]; cover?: string }> {
    if (source.type === "image_url") return { files: [await fetchImage(source.url)] };
    if (source.type === "multiple_image_urls") return { files: await Promise.all(source.urls.map(fetchImage)) };
    const medium = media.get(source.mediaId);
    if (medium?.account !== account || medium.file === null || medium.polls < 2)
      throw new ApiError(400, 1, "Invalid request: the media is not ready");
    const files = [medium.file];
    return typeof source.cover === "number" ? { files } : { files, cover: (await fetchImage(source.cover)).sha256 };
  }
  function pollStatus(medium: Medium): string {
    if (medium.file === null) return "registered";
    if (!["video/mp4", "video/quicktime"].includes(medium.file.type)) return "failed";
    return medium.polls++ === 0 ? "processing" : "succeeded";
  }

  return {
    platform: PLATFORM,
    app,
    expireToken: (account) => oauth.expire(account),
    remove: (id) => pins.delete(id),
    reset(account) {
      oauth.forget(account);
      for (const [id, storedPin] of pins) if (account === undefined || storedPin.account === account) pins.delete(id);
      for (const [id, medium] of media) if (account === undefined || medium.account === account) media.delete(id);
    },
    calls,
    publishCalls: { default: "pins/create" },
    demo: {
      handle: "crier_demo",
      credentials: { access_token: "access-for-crier_demo", refresh_token: "refresh-for-crier_demo" },
      options: { board: "101", link: "https://example.com/", title: "Hello" },
    },
  };
}

/** Digits: pinterest/api-description 5.23.0, Account, read 2026-11-20. */
const userId = (account: string) =>
  String(BigInt(`0x${createHash("sha256").update(account).digest("hex").slice(0, 15)}`));

function parsePin(body: Body): Pin {
  try {
    return readPin(new Map(Object.entries(body)));
  } catch (error) {
    if (error instanceof PinRefused) throw new ApiError(400, 1, `Invalid request: ${error.message}`);
    throw error;
  }
}
