// Faulty answers of networks: refusals, rate limits, posts that are not shown yet, and broken answers.
import type { Chance } from "./prng.ts";
import type { Verdict } from "./scheduler.ts";

/** Permanent refusals. */
export const NO: Record<string, { status: number; body: string }> = {
  bluesky: { status: 400, body: '{"error":"InvalidRequest","message":"Not this one"}' },
  x: { status: 403, body: '{"title":"Forbidden","detail":"Not this one","type":"about:blank","status":403}' },
  threads: { status: 400, body: '{"error":{"message":"Not this one","type":"OAuthException","code":100}}' },
};

/** A permanent refusal of a call. Facebook and Instagram answer as Threads does. */
export function refusal(platform: string): Verdict {
  const { status, body } = NO[platform] ?? { status: 400, body: NO.threads?.body ?? "{}" };
  return { is: "answer", carriedOut: false, status, headers: { "content-type": "application/json" }, body };
}

/** What networks answer with a 429. An empty answer comes from a proxy in front of the API. */
const TOO_MANY: Record<string, string> = {
  bluesky: '{"error":"RateLimitExceeded","message":"Rate Limit Exceeded"}',
  x: '{"title":"Too Many Requests","detail":"Too Many Requests","type":"about:blank","status":429}',
  tiktok: '{"error":{"code":"rate_limit_exceeded","message":"slow down","log_id":"1"}}',
  pinterest: '{"code":8,"message":"You have exceeded your rate limit."}',
  linkedin: '{"status":429,"code":"TOO_MANY_REQUESTS","message":"Resource level throttle limit"}',
};

/** A 429 that asks for a wait (`Retry-After`); null: it names no time. */
export function tooMany(platform = "", retryAfter: string | null): Verdict {
  const headers: Record<string, string> = retryAfter === null ? {} : { "retry-after": retryAfter };
  let body = TOO_MANY[platform] ?? "{}";
  // The Bot API repeats the time in its body, always in seconds.
  if (platform === "telegram") {
    const named = Number(retryAfter ?? 30);
    const retry_after = Number.isNaN(named) ? Math.ceil((Date.parse(retryAfter ?? "") - Date.now()) / 1_000) : named;
    const description = `Too Many Requests: retry after ${retry_after}`;
    body = JSON.stringify({ ok: false, error_code: 429, description, parameters: { retry_after } });
  }
  return { is: "answer", carriedOut: false, status: 429, headers, body };
}

/** The read that searches for a lost send, and its answer if the post is not shown yet. */
export const UNSEEN: Record<string, { call: string; status: number; body: string }> = {
  bluesky: {
    call: "com.atproto.repo.getRecord",
    status: 400,
    body: '{"error":"RecordNotFound","message":"Could not locate record"}',
  },
  x: { call: "GET /2/users/", status: 200, body: '{"meta":{"result_count":0}}' },
  pinterest: { call: "GET /v5/boards/", status: 200, body: '{"items":[],"bookmark":null}' },
};

export function serverError(chance: Chance, carriedOut: boolean): Verdict {
  const status = chance.pick([500, 502, 503, 504]);
  return { is: "answer", carriedOut, status, headers: {}, body: chance.pick(["", "<html>oops</html>", "{}"]) };
}

export function garbage(chance: Chance, carriedOut: boolean): Verdict {
  const body = chance.pick(["", "<!doctype html><p>Please wait", '{"id":', "null", "[]"]);
  return { is: "answer", carriedOut, status: 200, headers: { "content-type": "application/json" }, body };
}
