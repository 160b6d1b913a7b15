// LinkedIn's API as a program sees it. Every member `<name>` administers the page `<name>-page`. What a member posted cannot
// be read back, as with the tokens that most apps get.
import { createHash } from "node:crypto";
import { type Context, Hono } from "hono";
import { misbehave } from "./faults.ts";
import type { LedgerMedia } from "./ledger.ts";
import { AssetRefused, Assets } from "./linkedin/assets.ts";
import { visibleText } from "./linkedin/little-text.ts";
import { OAuthServer, type Token } from "./oauth.ts";
import type { Simulator, SimulatorEnv, World } from "./simulator.ts";

const PLATFORM = "linkedin";
const SCOPES = [
  "openid",
  "profile",
  "w_member_social",
  "w_organization_social",
  "r_organization_social",
  "rw_organization_admin",
];
const TEXT_MAX = 3_000;
const OLDEST_VERSION = 202_511;
const PAGE = "-page";

type Body = Record<string, unknown>;
interface Kept {
  author: string;
  commentary: string;
  shape: string;
  createdAt: number;
}

class ApiError extends Error {
  readonly status: number;
  readonly code: string | null;
  readonly input: string | null;
  constructor(status: number, code: string | null, message: string, input: string | null = null) {
    super(message);
    this.status = status;
    this.code = code;
    this.input = input;
  }
}
const invalid = (message: string) => new ApiError(400, "INVALID_VALUE_FOR_FIELD", message);
const isBody = (value: unknown): value is Body => typeof value === "object" && value !== null && !Array.isArray(value);
const bodyOf = (value: unknown): Body => (isBody(value) ? value : {});

const numberOf = (name: string) =>
  String(Number.parseInt(createHash("sha256").update(name).digest("hex").slice(0, 9), 16));
const memberUrn = (account: string) =>
  `urn:li:person:${createHash("sha256").update(account).digest("base64url").slice(0, 10)}`;
const pageUrn = (account: string) => `urn:li:organization:${numberOf(account)}`;

export function createSimulator(world: World): Simulator {
  const oauth = new OAuthServer({
    accessSeconds: 5_184_000,
    codeSeconds: 1_800,
    refresh: "stays",
    pkce: false,
    scopes: SCOPES,
    scopeSeparator: ",",
  });
  const assets = new Assets(world.ledger);
  const posts = new Map<string, Kept>();
  /** Names of pages and members by their ids, as far as they have been asked for. */
  const names = new Map<string, string>();
  let lastShare = 7_400_000_000_000_000_000n;
  const app = new Hono<SimulatorEnv>();

  const failure = (error: unknown): Response => {
    if (!(error instanceof ApiError)) throw error;
    const errorDetails =
      error.input === null
        ? {}
        : { errorDetails: { inputErrors: [{ code: error.input, description: error.message }] } };
    return Response.json(
      {
        status: error.status,
        message: error.message,
        ...(error.code === null ? {} : { code: error.code }),
        ...errorDetails,
      },
      { status: error.status },
    );
  };
  const route = (
    method: "get" | "post" | "put" | "delete",
    path: string,
    name: string,
    scopes: string[],
    act: (c: Context<SimulatorEnv>, token: Token) => Promise<Response | object> | Response | object,
  ) =>
    app[method](path, (c) => {
      const token = oauth.tokenOf(c.req.header("authorization"));
      const accounts = token === null ? [] : [token.account, token.account + PAGE];
      return misbehave(world.faults.take(PLATFORM, name, accounts), c.env, async () => {
        try {
          if (token === null)
            throw new ApiError(401, "EXPIRED_ACCESS_TOKEN", "The token used in the request has expired");
          if (path.startsWith("/rest/")) {
            const version = Number(c.req.header("linkedin-version"));
            if (Number.isNaN(version)) throw new ApiError(400, "VERSION_MISSING", "A version must be present.");
            if (version < OLDEST_VERSION)
              throw new ApiError(426, "NONEXISTENT_VERSION", `Requested version ${version} is not active`);
          }
          if (scopes.some((scope) => !token.scopes.includes(scope)))
            throw new ApiError(403, "ACCESS_DENIED", `Not enough permissions to access: ${name}`);
          const answer = await act(c, token);
          return answer instanceof Response ? answer : Response.json(answer);
        } catch (error) {
          return failure(error instanceof AssetRefused ? invalid(error.message) : error);
        }
      });
    });
  const json = async (c: Context<SimulatorEnv>): Promise<Body> => bodyOf(await c.req.json().catch(() => null));
  const mayAct = (urn: unknown, { account }: Token): string => {
    if (urn === memberUrn(account) || urn === pageUrn(account)) return String(urn);
    throw new ApiError(403, "ACCESS_DENIED", "The member may not act as this author");
  };

  app.get("/oauth/v2/authorization", (c) => oauth.authorize(c));
  app.post("/oauth/v2/accessToken", (c) =>
    misbehave(world.faults.take(PLATFORM, "accessToken", []), c.env, async () => {
      const fields: Body = await c.req.parseBody();
      const text = (name: string) => (typeof fields[name] === "string" ? fields[name] : "");
      if (text("client_id") === "" || text("client_secret") === "") return c.json({ error: "invalid_client" }, 401);
      const pair =
        text("grant_type") === "refresh_token"
          ? oauth.renew(text("refresh_token"))
          : oauth.exchange({ code: text("code"), redirect_uri: text("redirect_uri"), client_id: text("client_id") });
      if (pair === null) return c.json({ error: "invalid_grant", message: "The grant is not valid" }, 400);
      return c.json({
        access_token: pair.access,
        expires_in: 5_184_000,
        scope: oauth.scopeText(pair.scopes),
        ...(pair.refresh === null ? {} : { refresh_token: pair.refresh, refresh_token_expires_in: 31_536_000 }),
      });
    }),
  );

  route("get", "/v2/userinfo", "userinfo", ["openid", "profile"], (_c, { account }) => ({
    sub: memberUrn(account).split(":").at(-1),
    name: account,
    picture: "https://media.licdn.com/demo.jpg",
  }));
  route("get", "/rest/organizationAcls", "organizationAcls", ["rw_organization_admin"], (_c, { account }) => {
    names.set(numberOf(account), account + PAGE);
    return { elements: [{ role: "ADMINISTRATOR", state: "APPROVED", organizationTarget: pageUrn(account) }] };
  });
  route("get", "/v2/organizations/:id", "organizations", [], (c) => {
    const vanityName = names.get(c.req.param("id") ?? "");
    if (vanityName === undefined) throw new ApiError(404, null, "Not found");
    return { localizedName: `Page of ${vanityName.slice(0, -PAGE.length)}`, vanityName };
  });

  route("post", "/rest/images", "images", ["w_member_social"], async (c, token) => {
    if (c.req.query("action") !== "initializeUpload") throw invalid("action");
    const { owner } = bodyOf((await json(c)).initializeUploadRequest);
    const { urn } = assets.begin("image", mayAct(owner, token), 0);
    const uploadUrl = `${world.origin()}/${PLATFORM}/dms-uploads/${encodeURIComponent(urn)}`;
    return { value: { uploadUrlExpiresAt: Date.now() + 86_400_000, uploadUrl, image: urn } };
  });
  route("post", "/rest/videos", "videos", ["w_member_social"], async (c, token) => {
    const body = await json(c);
    if (c.req.query("action") === "finalizeUpload") {
      const { video, uploadToken, uploadedPartIds } = bodyOf(body.finalizeUploadRequest);
      const asset = assets.find(String(video));
      if (asset === undefined) throw new ApiError(404, null, "Not found");
      await assets.finalize(asset, uploadToken, uploadedPartIds);
      return new Response(null, { status: 200 });
    }
    const { owner, fileSizeBytes } = bodyOf(body.initializeUploadRequest);
    const { urn, asset, parts } = assets.begin("video", mayAct(owner, token), Number(fileSizeBytes));
    const url = `${world.origin()}/${PLATFORM}/dms-uploads/${encodeURIComponent(urn)}`;
    return {
      value: {
        uploadUrlsExpireAt: Date.now() + 86_400_000,
        video: urn,
        uploadToken: asset.token,
        uploadInstructions: parts.map(([firstByte, lastByte], i) => ({
          uploadUrl: `${url}?part=${i}`,
          firstByte,
          lastByte,
        })),
      },
    };
  });
  route("put", "/dms-uploads/:urn", "upload", [], async (c) => {
    const asset = assets.find(c.req.param("urn") ?? "");
    if (asset === undefined) return c.text("Gone", 410);
    if (asset.kind === "video") {
      const etag = assets.receivePart(asset, new Uint8Array(await c.req.arrayBuffer()));
      return new Response(null, { status: 200, headers: { etag } });
    }
    const taken = await assets.receiveImage(asset, c.req.raw.body, c.req.header("content-type") ?? "");
    return new Response(null, { status: taken ? 201 : 400 });
  });
  for (const kind of ["images", "videos"] as const) {
    route("get", `/rest/${kind}/:urn`, `${kind}/get`, ["w_member_social"], (c) => {
      const asset = assets.find(c.req.param("urn") ?? "");
      if (asset === undefined) throw new ApiError(404, null, "Not found");
      return { status: assets.statusOf(asset), id: c.req.param("urn") };
    });
  }

  function filesOf(content: Body): LedgerMedia[] {
    const listed = bodyOf(content.multiImage).images;
    const items = content.media === undefined ? (Array.isArray(listed) ? listed : []) : [content.media];
    if (content.multiImage !== undefined && (items.length < 2 || items.length > 20))
      throw invalid("multiImage takes 2 to 20 images");
    const { thumbnail } = bodyOf(content.article);
    return [...items, ...(thumbnail === undefined ? [] : [{ id: thumbnail }])].map((item: unknown) => {
      const { id, altText } = bodyOf(item);
      const asset = assets.find(String(id));
      if (asset?.file == null || (asset.kind === "video" && asset.looks < 2))
        throw invalid(`media ${String(id)} is not AVAILABLE`);
      return { ...asset.file, alt: typeof altText === "string" ? altText : null };
    });
  }
  route("post", "/rest/posts", "posts/create", [], async (c, token) => {
    const body = await json(c);
    const { commentary = "", visibility, lifecycleState } = body;
    const author = mayAct(body.author, token);
    const isPage = author === pageUrn(token.account);
    const scope = isPage ? "w_organization_social" : "w_member_social";
    if (!token.scopes.includes(scope))
      throw new ApiError(403, "ACCESS_DENIED", "Not enough permissions to access: posts.CREATE");
    if (typeof commentary !== "string" || lifecycleState !== "PUBLISHED" || !isBody(body.distribution))
      throw invalid("a required field is missing");
    if (!["PUBLIC", "CONNECTIONS", "LOGGED_IN"].includes(String(visibility)) || (isPage && visibility !== "PUBLIC"))
      throw invalid("visibility");
    const text = visibleText(commentary);
    if (text.length > TEXT_MAX)
      throw new ApiError(400, "FIELD_LENGTH_TOO_LONG", `commentary is longer than ${TEXT_MAX}`);
    const content = bodyOf(body.content);
    const media = filesOf(content);
    if (text === "" && media.length === 0 && content.article === undefined) throw invalid("the post is empty");
    const shape = media.map(({ sha256 }) => sha256).join();
    const twin = [...posts].find(
      ([, kept]) => kept.author === author && kept.commentary === commentary && kept.shape === shape,
    );
    if (twin !== undefined) throw new ApiError(422, null, `Content is a duplicate of ${twin[0]}`, "DUPLICATE_POST");
    const urn = `urn:li:share:${++lastShare}`;
    posts.set(urn, { author, commentary, shape, createdAt: Date.now() });
    const account = isPage ? token.account + PAGE : token.account;
    const { article } = content;
    world.ledger.accept({
      platform: PLATFORM,
      account,
      id: urn,
      text,
      media,
      token: null,
      url: `https://www.linkedin.com/feed/update/${urn}/`,
      detail: {
        visibility,
        article: article ?? null,
        title: bodyOf(content.media).title ?? null,
        reshare: body.isReshareDisabledByAuthor,
      },
      shown: {
        marks: [...text.matchAll(/#[\p{L}\p{N}]+/gu)].map(({ 0: tag, index }) => ({
          start: index,
          end: index + tag.length,
        })),
        card: isBody(article)
          ? {
              uri: String(article.source),
              title: String(article.title),
              description: String(article.description ?? ""),
              thumbSha256: media[0]?.sha256 ?? null,
            }
          : null,
      },
    });
    return new Response(null, { status: 201, headers: { "x-restli-id": urn } });
  });
  const pageOnly = (author: string, token: Token) => {
    if (author !== pageUrn(token.account) || !token.scopes.includes("r_organization_social"))
      throw new ApiError(403, "ACCESS_DENIED", "Not enough permissions to access: posts.GET");
  };
  route("get", "/rest/posts", "posts/finder", [], (c, token) => {
    const author = c.req.query("author") ?? "";
    if (c.req.header("x-restli-method") !== "FINDER" || c.req.query("q") !== "author") throw invalid("q");
    pageOnly(author, token);
    const found = [...posts].filter(([, kept]) => kept.author === author).reverse();
    return { elements: found.map(([id, { commentary, createdAt }]) => ({ id, author, commentary, createdAt })) };
  });
  route("get", "/rest/posts/:urn", "posts/get", [], (c, token) => {
    const kept = posts.get(c.req.param("urn") ?? "");
    pageOnly(kept?.author ?? pageUrn(token.account), token);
    if (kept === undefined) throw new ApiError(404, null, "Not found");
    return { id: c.req.param("urn"), author: kept.author, commentary: kept.commentary };
  });
  route("delete", "/rest/posts/:urn", "posts/delete", [], (c) => {
    const urn = c.req.param("urn") ?? "";
    posts.delete(urn);
    const entry = world.ledger.find(PLATFORM, urn);
    if (entry !== undefined) entry.deleted = true;
    return new Response(null, { status: 204 });
  });
  route("get", "/rest/organizationalEntityShareStatistics", "statistics", ["rw_organization_admin"], (c, token) => {
    pageOnly(c.req.query("organizationalEntity") ?? "", token);
    const urn = /List\((.+)\)/.exec(c.req.query("shares") ?? c.req.query("ugcPosts") ?? "")?.[1] ?? "";
    if (!posts.has(urn)) return { elements: [] };
    const totalShareStatistics = {
      impressionCount: 120,
      uniqueImpressionsCount: 90,
      clickCount: 6,
      likeCount: 8,
      commentCount: 1,
      shareCount: 2,
    };
    return { elements: [{ share: urn, totalShareStatistics }] };
  });
  app.all("*", () => failure(new ApiError(404, "RESOURCE_NOT_FOUND", "No virtual resource found")));

  return {
    platform: PLATFORM,
    app,
    expireToken: (account) => oauth.expire(account.replace(/-page$/, "")),
    remove: (id) => posts.delete(id),
    reset(account) {
      const name = account?.replace(/-page$/, "");
      const isOf = (urn: string) => name === undefined || urn === memberUrn(name) || urn === pageUrn(name);
      oauth.forget(name);
      assets.forget(isOf);
      for (const [urn, { author }] of posts) if (isOf(author)) posts.delete(urn);
    },
    publishCalls: { default: "posts/create" },
    demo: {
      handle: `crier_demo${PAGE}`,
      credentials: {
        access_token: "access-for-crier_demo",
        refresh_token: "refresh-for-crier_demo",
        account_id: numberOf("crier_demo"),
      },
    },
  };
}
