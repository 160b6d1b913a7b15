// The page of a portal: all posts that await a client's approval, each with a form for its decision, and one form for all.
import type { Hono, Context as HonoContext, MiddlewareHandler } from "hono";
import { html, raw } from "hono/html";
import { PORTAL_POSTS_MAX, REASON_LENGTH_MAX, REVIEWER_LENGTH_MAX } from "../domain/limits.ts";
import { showBrand } from "../operations/brand.ts";
import { commentOnPost } from "../operations/portals/comment.ts";
import { decidePosts, type PortalDecision } from "../operations/portals/decide.ts";
import {
  findOpenPortal,
  type PortalContent,
  readContent,
  type ShownDecision,
  type WaitingPost,
} from "../operations/portals/open.ts";
import { type DecisionResult, readReason, readReviewerName } from "../operations/posts/decide-as-stranger.ts";
import { readDueCursor, writeDueCursor } from "../operations/posts/due-cursor.ts";
import { limitTries } from "../operations/rate-limit.ts";
import { notDone, readBrowserUser, renderAlert } from "./browser-user.ts";
import { readFields } from "./form.ts";
import type { HttpEnv } from "./mount.ts";
import { getNonce, type Html, notOurs, type PageStatus, page, pagePolicy } from "./page.ts";
import { channelSection, renderRepeat, renderTime } from "./reviewed-post.ts";
import { isSameOrigin } from "./session-cookie.ts";

type C = HonoContext<HttpEnv>;
type Portal = NonNullable<Awaited<ReturnType<typeof findOpenPortal>>>;
const PATH = "/portal/:token";

/** What a visitor submitted, and what became of it. */
interface Submitted {
  name: string;
  /** The post whose form was submitted, and the reason in it; null: the form for all posts. */
  post: string | null;
  reason: string;
  /** null: all is well. */
  alert: string | null;
  notice: string | null;
}
const NOTHING: Submitted = { name: "", post: null, reason: "", alert: null, notice: null };

export function mountPortal(app: Hono<HttpEnv>): void {
  const policy = pagePolicy({ forms: true, media: true });
  app.get(PATH, policy, secret, async (c) => {
    const portal = await findOpenPortal(c.var.ctx, c.req.param("token"));
    return portal === null ? closed(c) : show(c, portal, NOTHING);
  });
  app.post(PATH, policy, secret, async (c) => {
    const { ctx } = c.var;
    if (!isSameOrigin(c.req.raw, ctx.settings.baseUrl)) return notOurs(c);
    const portal = await findOpenPortal(ctx, c.req.param("token"));
    if (portal === null) return closed(c);
    return show(c, portal, await submit(c, portal, await readFields(c.req.raw)));
  });
}

/** The address grants the right to decide, so it must be unguessable and no crawler may keep it. */
const secret: MiddlewareHandler<HttpEnv> = async (c, next) => {
  c.header("X-Robots-Tag", "noindex, nofollow, noarchive");
  try {
    await limitTries(c.var.ctx, { address: "portal_address" });
  } catch (error) {
    const { alert, status } = notDone(error);
    return page(c, "Too many requests", html`<p>${alert}</p>`, status);
  }
  return next();
};

const closed = (c: C) =>
  page(
    c,
    "This page is closed",
    html`<p>The address is incomplete, or the page has ended or was closed. Ask the person who sent you the link for a new one.</p>`,
    410,
  );

/** Decides on the posts of a submitted form: one, or all that were shown. */
async function submit(c: C, portal: Portal, text: (name: string) => string): Promise<Submitted> {
  const versions = readVersions(text("posts")).slice(0, PORTAL_POSTS_MAX);
  const isAll = text("all") !== "";
  const decision = text("decision");
  const typed = { name: text("name"), reason: text("reason"), post: isAll ? null : (versions[0]?.post ?? null) };
  const refused = (alert: string): Submitted => ({ ...typed, alert, notice: null });
  if (decision === "comment") return comment(c, portal, typed);
  if ((decision !== "approve" && decision !== "decline") || versions.length === 0)
    return { ...NOTHING, name: typed.name };
  const name = readReviewerName(typed.name);
  if (name === null) return refused(UNREADABLE.name);
  const reason = readReason(typed.reason);
  if (decision === "decline" && reason === null) return refused(UNREADABLE.reason);
  const userId = (await readBrowserUser(c))?.caller.userId ?? null;
  const decisions = versions.map((version): PortalDecision => ({ ...version, decision, reason: reason ?? "" }));
  const results = await decidePosts(c.var.ctx, portal, { name, userId }, decisions);
  const [notice, alert] = tellResults(results);
  return { ...typed, reason: alert === null ? "" : typed.reason, notice, alert };
}

/** Stores the comment of a post's form. */
async function comment(c: C, portal: Portal, typed: Pick<Submitted, "name" | "post" | "reason">): Promise<Submitted> {
  const [name, text] = [readReviewerName(typed.name), readReason(typed.reason)];
  const refused = (alert: string): Submitted => ({ ...typed, alert, notice: null });
  if (name === null) return refused(UNREADABLE.name);
  if (text === null || typed.post === null) return refused(UNREADABLE.comment);
  const { is } = await commentOnPost(c.var.ctx, portal, { post: typed.post, name, text });
  if (is !== "stored")
    return refused("The comment was not stored: the post is no longer here, or has too many comments.");
  return { ...typed, reason: "", alert: null, notice: "Your comment was sent." };
}

const UNREADABLE = {
  comment: `To comment, enter a text of at most ${REASON_LENGTH_MAX} characters.`,
  name: `Enter your name on one line, with at most ${REVIEWER_LENGTH_MAX} characters and without mixing letters that look alike.`,
  reason: `To decline, enter a comment of at most ${REASON_LENGTH_MAX} characters.`,
};

/** The versions in a form: `post:rev:tag`, separated by spaces. */
const readVersions = (field: string) =>
  field.split(" ").flatMap((version) => {
    const [, post, rev, contentTag] = /^(post_[0-9a-z]{26}):(\d{1,9}):([\w-]{0,100})$/.exec(version) ?? [];
    return post === undefined || contentTag === undefined ? [] : [{ post, rev: Number(rev), contentTag }];
  });
const writeVersion = ({ post }: WaitingPost) => `${post.id}:${post.revision}:${post.contentTag}`;

const count = (posts: number) => `${posts} ${posts === 1 ? "post" : "posts"}`;

/** Says what became of the decisions: what was done, and what was not. */
function tellResults(results: readonly DecisionResult[]): [notice: string | null, alert: string | null] {
  const counted = (is: DecisionResult["is"]) => results.filter((result) => result.is === is).length;
  const tell = (sentences: [DecisionResult["is"], string][]) => {
    const parts = sentences.flatMap(([is, words]) => (counted(is) === 0 ? [] : [`${count(counted(is))} ${words}`]));
    return parts.length === 0 ? null : parts.join(" ");
  };
  return [
    tell([
      ["approved", "approved."],
      ["declined", "declined."],
    ]),
    tell([
      ["changed", "not decided, because the content was changed in the meantime. See the new version below."],
      ["closed", "not decided: no decision is needed any more."],
      ["refused", "not decided, because they cannot be scheduled as they are. Tell the person who sent you this link."],
      [
        "own_change",
        "not decided: you or the person who made this page changed it last, and members of this workspace cannot approve their own changes.",
      ],
    ]),
  ];
}

async function show(c: C, portal: Portal, submitted: Submitted): Promise<Response> {
  const { ctx } = c.var;
  const content = await readContent(ctx, portal, readDueCursor(c.req.query("cursor")));
  const brand = await showBrand(ctx, portal.workspaceId, portal.brand);
  const status: PageStatus = submitted.alert === null ? 200 : 422;
  const { posts, decided, next } = content;
  return page(
    c,
    portal.name,
    html`${renderAlert(submitted.alert)}${submitted.notice === null ? "" : html`<p role="status"><strong>${submitted.notice}</strong></p>`}
      <p>${posts.length === 0 ? "No posts" : count(posts.length)}${next === null ? "" : " on this page"} waiting for your approval.</p>
      ${allForm(content, submitted)}${posts.map((post) => postSection(post, submitted))}
      ${next === null ? "" : html`<p><a href="?cursor=${encodeURIComponent(writeDueCursor(next))}">Next page</a></p>`}
      ${decided.length === 0 ? "" : html`<section><h2>Decisions</h2>${decided.map(decisionLine)}</section>`}${nameScript(c)}`,
    status,
    { brand, style: STYLE },
  );
}

const nameField = (name: string): Html =>
  html`<label>Your name <input name="name" value="${name}" autocomplete="name" required maxlength="${REVIEWER_LENGTH_MAX}"></label>`;

/** With scripts, a name is typed once: each form has it, also on the next visit. */
const nameScript = (c: C): Html =>
  html`<script nonce="${getNonce(c)}">${raw(`{
  const fields = [...document.querySelectorAll("input[name=name]")];
  const known = "crier-reviewer";
  const fill = (name) => { for (const field of fields) if (field.value !== name) field.value = name; };
  try { fill(fields.find(({ value }) => value !== "")?.value ?? localStorage.getItem(known) ?? ""); } catch {}
  for (const field of fields) field.addEventListener("input", () => fill(field.value));
  for (const form of document.forms) form.addEventListener("submit", () => {
    try { localStorage.setItem(known, fields[0].value); } catch {}
  });
}`)}</script>`;

/** The form that approves all posts of the page; none for fewer than two. */
function allForm({ posts }: PortalContent, { name }: Submitted): Html | "" {
  const open = posts.filter(({ review }) => !review.isLate);
  if (open.length < 2) return "";
  return html`<form method="post"><input type="hidden" name="posts" value="${open.map(writeVersion).join(" ")}"><input type="hidden" name="all" value="yes">
    ${nameField(name)}<button name="decision" value="approve">Approve all ${open.length}</button></form>`;
}

const LATE = "You can decline it here. To approve it, the workspace has to give it a new time.";

function postSection(waiting: WaitingPost, { name, post: submittedPost, reason }: Submitted): Html {
  const { post, review, comments } = waiting;
  return html`<article aria-label="Post"><p>${renderTime(review, LATE)}</p>${renderRepeat(review)}${review.channels.map((channel) => channelSection(channel, review.timezone))}
    ${comments.map(({ author, text }) => html`<p class="note text"><strong>${author.name}</strong>: <span dir="auto">${text}</span></p>`)}
    <form method="post"><input type="hidden" name="posts" value="${writeVersion(waiting)}">${nameField(name)}
    <label>Comment (required to decline) <textarea name="reason" rows="2" maxlength="${REASON_LENGTH_MAX}">${submittedPost === post.id ? reason : ""}</textarea></label>
    <div class="side"><button class="quiet" name="decision" value="decline">Decline</button>
    <button class="quiet" name="decision" value="comment">Comment only</button></div>
    ${review.isLate ? "" : html`<button name="decision" value="approve">Approve</button>`}</form></article>`;
}

/** How many characters of a post's text are shown with a decision on it. */
const TEXT_SHOWN = 120;
const GONE = "This post has been changed or deleted since.";

function decisionLine({ decision, post }: ShownDecision): Html {
  const { by, reason, decidedAt } = decision;
  const day = new Intl.DateTimeFormat("en-GB", {
    dateStyle: "medium",
    timeStyle: "short",
    timeZone: post?.timezone ?? "UTC",
  });
  const text = post === null || post.text === null ? GONE : [...post.text].slice(0, TEXT_SHOWN).join("");
  return html`<p><strong>${decision.decision === "approve" ? "Approved" : "Declined"}</strong> by ${by},
    <time datetime="${new Date(decidedAt).toISOString()}">${day.format(decidedAt)}</time>${reason === null ? "" : html`: <span dir="auto">${reason}</span>`}
    <br><span class="note text" dir="auto">${text}</span></p>`;
}

const STYLE = `
main { width: min(96vw, 40rem); }
article { margin: 1.5rem 0; padding: 1rem; border: 1px solid var(--line); border-radius: 10px; }`;
