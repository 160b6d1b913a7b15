// The page of a review link: one post as each channel would publish it, for one person without an account, who approves or declines.
import type { Hono, Context as HonoContext, MiddlewareHandler } from "hono";
import { html } from "hono/html";
import { REASON_LENGTH_MAX, REVIEWER_LENGTH_MAX } from "../domain/limits.ts";
import { type Answer, type Answered, answerReview, type Opened, openReview } from "../operations/posts/review.ts";
import type { Review } from "../operations/posts/reviewed.ts";
import { limitTries } from "../operations/rate-limit.ts";
import { notDone, readBrowserUser, renderAlert } from "./browser-user.ts";
import { readFields } from "./form.ts";
import type { HttpEnv } from "./mount.ts";
import { type Html, notOurs, type PageStatus, page, pagePolicy } from "./page.ts";
import { channelSection, renderRepeat, renderTime } from "./reviewed-post.ts";
import { isSameOrigin } from "./session-cookie.ts";

type C = HonoContext<HttpEnv>;
const PATH = "/review/:token";
/** The submitted answer, and what was wrong with it. */
interface Trouble extends Pick<Answer, "name" | "reason"> {
  alert: string;
  status: PageStatus;
}

export function mountReview(app: Hono<HttpEnv>): void {
  const policy = pagePolicy({ forms: true, media: true });
  app.get(PATH, policy, secret, async (c) => show(c, await openReview(c.var.ctx, readToken(c))));
  app.post(PATH, policy, secret, async (c) => {
    const { ctx } = c.var;
    if (!isSameOrigin(c.req.raw, ctx.settings.baseUrl)) return notOurs(c);
    const text = await readFields(c.req.raw);
    const decision = text("decision");
    const typed = { name: text("name"), reason: text("reason") };
    if (decision !== "approve" && decision !== "decline") return show(c, await openReview(ctx, readToken(c)));
    const userId = (await readBrowserUser(c))?.caller.userId ?? null;
    const answered = await answerReview(ctx, readToken(c), { ...typed, decision, userId });
    if (answered.is === "closed" || answered.is === "changed") return show(c, answered);
    if (answered.is === "approved") return approved(c, answered);
    if (answered.is === "declined") return declined(c, answered);
    const alert = answered.is === "unreadable" ? UNREADABLE[answered.field] : REFUSED[answered.is];
    return show(c, await openReview(ctx, readToken(c)), { ...typed, alert, status: 422 });
  });
}

const readToken = (c: C) => c.req.param("token") ?? "";

/** The address grants the right to decide, so it must be unguessable and no crawler may keep it. */
const secret: MiddlewareHandler<HttpEnv> = async (c, next) => {
  c.header("X-Robots-Tag", "noindex, nofollow, noarchive");
  try {
    await limitTries(c.var.ctx, { address: "review_address" });
  } catch (error) {
    const { alert, status } = notDone(error);
    return page(c, "Too many requests", html`<p>${alert}</p>`, status);
  }
  return next();
};

const LATE = "You can decline it here. To approve it, you need a new link after the post has been given a new time.";
const UNREADABLE = {
  name: `Enter your name on one line, with at most ${REVIEWER_LENGTH_MAX} characters and without mixing letters that look alike.`,
  reason: `To decline, enter a reason of at most ${REASON_LENGTH_MAX} characters.`,
};
const REFUSED = {
  refused:
    "The post cannot be scheduled as it is, so nothing was decided. Tell the person who sent you this link, or try again later.",
  own_change:
    "You or the person who made this link changed the post last, and members of this workspace cannot approve their own changes. Nothing was decided. Ask another member.",
};

function show(c: C, opened: Opened, trouble: Trouble | null = null): Response | Promise<Response> {
  if (opened.is === "closed") {
    return page(
      c,
      "This link does not work",
      html`<p>It is incomplete, has expired or was revoked, or the post has already been decided on. Ask the person who sent the link for a new one.</p>`,
      410,
    );
  }
  if (opened.is === "changed") {
    return page(
      c,
      "This post was changed",
      html`<p>It was changed or withdrawn after this link was created, so there is nothing to decide here. Ask the person who sent the
        link for a new one.</p>`,
      410,
    );
  }
  const { review } = opened;
  return page(
    c,
    "Approve this post?",
    html`${renderAlert(trouble?.alert ?? null)}<p>${renderTime(review, LATE)}</p>${renderRepeat(review)}
      ${review.channels.map((channel) => channelSection(channel, review.timezone))}${form(review, trouble)}`,
    trouble?.status ?? 200,
    { brand: opened.brand },
  );
}

const approved = (c: C, { dueAt, brand }: Extract<Answered, { is: "approved" }>) =>
  page(
    c,
    "Approved",
    html`<p>Thank you. The post is scheduled exactly as you saw it${
      dueAt === null || Date.parse(dueAt) <= c.var.ctx.now() ? " and is published now" : ""
    }. You can close this page.</p>`,
    200,
    { brand },
  );

const declined = (c: C, { brand }: Extract<Answered, { is: "declined" }>) =>
  page(
    c,
    "Declined",
    html`<p>Thank you. The post will not be published, and its author can read your reason. You can close this page.</p>`,
    200,
    { brand },
  );

const form = ({ isLate }: Review, trouble: Trouble | null): Html =>
  html`<form method="post">
    <label>Your name <input name="name" value="${trouble?.name ?? ""}" autocomplete="name" required maxlength="${REVIEWER_LENGTH_MAX}"></label>
    <label>Reason (required to decline) <textarea name="reason" rows="3" maxlength="${REASON_LENGTH_MAX}">${trouble?.reason ?? ""}</textarea></label>
    <p class="note">You can decide once, and your decision applies to exactly this version. The workspace keeps your name and ${isLate ? "reason" : "any reason that you give"}.</p>
    <div class="side"><button class="quiet" name="decision" value="decline">Decline</button>
      ${isLate ? "" : html`<button name="decision" value="approve">Approve</button>`}</div></form>`;
