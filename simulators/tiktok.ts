// Simulates TikTok for client programs: Login Kit, the Content Posting API for direct posts, and the Display API's lists.

import { Hono } from "hono";
import { avatarUrl } from "./avatar.ts";
import { misbehave } from "./faults.ts";
import type { ReceivedFile } from "./ledger.ts";
import type { Simulator, SimulatorEnv, World } from "./simulator.ts";
import { type Account, Accounts } from "./tiktok/accounts.ts";
import {
  answer,
  bearer,
  type Call,
  type Fields,
  invalid,
  Refusal,
  readBody,
  toFields,
  toText,
} from "./tiktok/answers.ts";
import { type Begun, buildPostUrl, isListed, type Job, newJob, pollStatus, view } from "./tiktok/jobs.ts";
import { OAuth } from "./tiktok/oauth.ts";
import {
  checkCap,
  checkDrafts,
  checkInfo,
  checkPhotos,
  checkWords,
  findMarks,
  photoFault,
  privacyOptions,
  secondsMax,
} from "./tiktok/post-rules.ts";
import { openUpload, takeChunk, takeFile, uploadUrl } from "./tiktok/uploads.ts";

const PLATFORM = "tiktok";

export function createSimulator(world: World): Simulator {
  const accounts = new Accounts(world.state);
  const oauth = new OAuth(accounts, world.state);
  const app = new Hono<SimulatorEnv>();
  /** By publish id. */
  const jobs = world.state.map<string, Job>("tiktok.jobs");
  const calls = new Set<string>();
  const jobOfUpload = (id: string | undefined) => [...jobs.values()].find(({ upload }) => upload?.id === id);

  const serve = (
    kind: "get" | "post" | "put",
    path: string,
    call: string,
    accountOf: (c: Call) => Account | undefined | Promise<Account | undefined>,
    act: (c: Call) => Promise<Response> | Response,
  ) => {
    calls.add(call);
    app[kind](path, async (c) => {
      const account = await accountOf(c);
      const names = account === undefined ? [] : [account.username, `@${account.username}`, account.openId];
      return misbehave(world.faults.take(PLATFORM, call, names), c.env, async () => {
        try {
          return await act(c);
        } catch (error) {
          if (!(error instanceof Refusal)) throw error;
          return answer(error.status, {}, error.code, error.message);
        }
      });
    });
  };
  const api = (
    kind: "get" | "post",
    call: string,
    scope: string | string[],
    perMinute: number,
    act: (account: Account, c: Call) => Promise<Fields> | Fields,
  ) =>
    serve(
      kind,
      `/v2/${call}/`,
      call,
      (c) => accounts.ownerOf(bearer(c)),
      async (c) => {
        const account = accounts.check(bearer(c), ...[scope].flat());
        accounts.limit(bearer(c), call, perMinute);
        return answer(200, await act(account, c));
      },
    );

  app.on(["GET", "POST"], "/v2/auth/authorize/", (c) => oauth.authorize(c));
  const ownerInForm = async (c: Call) => {
    const form = new URLSearchParams(await c.req.text());
    return accounts.ownerOf(form.get("refresh_token") ?? form.get("token") ?? undefined);
  };
  serve("post", "/v2/oauth/token/", "oauth/token", ownerInForm, (c) => oauth.token(c));
  serve("post", "/v2/oauth/revoke/", "oauth/revoke", ownerInForm, (c) => oauth.revoke(c));

  api("get", "user/info", "user.info.basic", 600, ({ openId, username }, c) => {
    const fields = (c.req.query("fields") ?? "").split(",").filter(Boolean);
    if (fields.length === 0) throw invalid("Fields are required");
    const userFields: Record<string, string> = {
      open_id: openId,
      union_id: openId.replace("-000", "union-"),
      avatar_url: avatarUrl("p16-sign.tiktokcdn.com", username),
      display_name: `The ${username}`,
    };
    if (fields.includes("username")) {
      accounts.check(bearer(c), "user.info.profile");
      userFields.username = username;
    }
    return { user: Object.fromEntries(fields.flatMap((name) => (userFields[name] ? [[name, userFields[name]]] : []))) };
  });

  api("post", "post/publish/creator_info/query", "video.publish", 20, (account) => {
    checkCap(account, 200);
    return {
      creator_avatar_url: avatarUrl("p16-sign.tiktokcdn.com", account.username),
      creator_username: account.username,
      creator_nickname: `The ${account.username}`,
      privacy_level_options: privacyOptions(account),
      comment_disabled: false,
      duet_disabled: false,
      stitch_disabled: account.username.startsWith("private_"),
      max_video_post_duration_sec: secondsMax(account),
    };
  });

  api("post", "post/publish/video/init", "video.publish", 6, async (account, c) => {
    const body = await readBody(c);
    const info = checkInfo(body.post_info, "video", account);
    const source = toFields(body.source_info);
    // No domain is verified for videos here, so they must be uploaded.
    if (source.source === "PULL_FROM_URL")
      throw new Refusal(403, "url_ownership_unverified", "The URL prefix or domain is not verified.");
    if (source.source !== "FILE_UPLOAD") throw invalid("The source is invalid");
    const upload = openUpload(source, world.chunksDivisor);
    checkCap(account, 403);
    const job = begin({ account, kind: "video", info, isDraft: false, upload });
    return { publish_id: job.publishId, upload_url: uploadUrl(upload) };
  });

  api("post", "post/publish/inbox/video/init", "video.upload", 6, async (account, c) => {
    const source = toFields((await readBody(c)).source_info);
    if (source.source !== "FILE_UPLOAD") throw invalid("The source is invalid");
    const upload = openUpload(source, world.chunksDivisor);
    checkDrafts(account);
    const job = begin({ account, kind: "video", info: {}, isDraft: true, upload });
    return { publish_id: job.publishId, upload_url: uploadUrl(upload) };
  });

  api("post", "post/publish/content/init", ["video.publish", "video.upload"], 6, async (account, c) => {
    const body = await readBody(c);
    const isDraft = body.post_mode === "MEDIA_UPLOAD";
    if (body.media_type !== "PHOTO" || !(isDraft || body.post_mode === "DIRECT_POST"))
      throw invalid("media_type or post_mode");
    accounts.check(bearer(c), isDraft ? "video.upload" : "video.publish");
    const info = isDraft ? checkWords(toFields(body.post_info), "photo") : checkInfo(body.post_info, "photo", account);
    const urls = checkPhotos(body.source_info);
    if (isDraft) checkDrafts(account);
    else checkCap(account, 403);
    const job = begin({ account, kind: "photo", info, isDraft, upload: null });
    const files = await Promise.all(urls.map((url) => world.files.download(url)));
    const faults = files.map(photoFault).filter((fault) => fault !== null);
    finish(
      job,
      files.flatMap((file) => file ?? []),
      faults[0] ?? null,
      toFields(body.source_info),
    );
    return { publish_id: job.publishId };
  });

  serve(
    "put",
    "/video/",
    "upload",
    (c) => jobOfUpload(c.req.query("upload_id"))?.account,
    async (c) => {
      const job = jobOfUpload(c.req.query("upload_id"));
      if (job === undefined || job.upload === null) return new Response(null, { status: 404 });
      const { response, complete } = await takeChunk(c, job.upload);
      if (complete) {
        const file = takeFile(job.upload, world.ledger);
        finish(job, [file], file.type.startsWith("video/") ? null : "file_format_check_failed", {});
      }
      return response;
    },
  );

  api("post", "post/publish/status/fetch", ["video.publish", "video.upload"], 30, async (account, c) => {
    const job = jobs.get(toText((await readBody(c)).publish_id));
    if (job === undefined) throw new Refusal(400, "invalid_publish_id", "The publish_id does not exist.");
    if (job.account !== account)
      throw new Refusal(
        400,
        "token_not_authorized_for_specified_publish_id",
        "The access_token does not have authorization over the publish_id.",
      );
    return pollStatus(job);
  });

  api("post", "video/list", "video.list", 600, async (account, c) => {
    const { max_count: max = 10 } = await readBody(c);
    if (typeof max !== "number" || max < 1 || max > 20) throw invalid("max_count must be 1 to 20");
    const videos = [...jobs.values()].filter((job) => job.account === account && isListed(job)).reverse();
    return {
      videos: videos.slice(0, max).map((job) => view(job, c.req.query("fields"))),
      cursor: Date.now(),
      has_more: videos.length > max,
    };
  });
  api("post", "video/query", "video.list", 600, async (account, c) => {
    const ids: unknown = toFields((await readBody(c)).filters).video_ids;
    if (!Array.isArray(ids) || ids.length > 20) throw invalid("There must be at most 20 video ids");
    const videos = [...jobs.values()].filter(
      (job) => job.account === account && ids.includes(job.postId) && isListed(job),
    );
    return { videos: videos.map((job) => view(job, c.req.query("fields"))) };
  });
  app.all("*", (c) => c.json({ error: { code: "unsupported_path", message: c.req.path, log_id: "" } }, 404));

  function begin(jobOptions: Begun): Job {
    const job = newJob(jobOptions);
    jobs.set(job.publishId, job);
    return job;
  }

  /** The network has received everything: the post will be published, or fail, without further calls. */
  function finish(job: Job, files: ReceivedFile[], failReason: string | null, source: Fields): void {
    const { account, kind, info, postId, publishId } = job;
    job.since = Date.now();
    job.failReason = failReason;
    if (failReason !== null) return;
    (job.isDraft ? account.draftedAt : account.postedAt).push(job.since);
    const text = toText(kind === "video" ? info.title : info.description);
    const url = info.privacy_level === "PUBLIC_TO_EVERYONE" ? buildPostUrl(job) : null;
    world.ledger.accept({
      platform: PLATFORM,
      account: account.username,
      id: postId,
      text,
      media: files.map(({ bytes, type, sha256 }) => ({ bytes, type, sha256, alt: null })),
      token: publishId,
      url,
      detail: {
        kind,
        info,
        cover: source.photo_cover_index ?? null,
        title: kind === "photo" ? toText(info.title) : null,
        ...(job.isDraft && { draft: true }),
      },
      shown: { marks: findMarks(text), card: null },
    });
  }

  return {
    platform: PLATFORM,
    app,
    expireToken(name) {
      const account = accounts.find(name);
      if (account !== undefined) accounts.expire(account);
      return account !== undefined;
    },
    remove(id) {
      for (const job of jobs.values()) if (job.postId === id) job.deleted = true;
    },
    reset(name) {
      const account = name === undefined ? undefined : accounts.find(name);
      if (name !== undefined && account === undefined) return;
      accounts.forget(account);
      for (const [id, job] of jobs) if (job.account === (account ?? job.account)) jobs.delete(id);
    },
    calls,
    publishCalls: { default: "post/publish/content/init", video: "upload" },
    demo: {
      handle: "crier",
      credentials: { access_token: "act.crier", refresh_token: "rft.crier" },
      options: { privacy_level: "PUBLIC_TO_EVERYONE" },
    },
  };
}
