// The signed-in user's own data: name, password, email address, sessions.
import * as z from "zod";
import { LIST_LIMIT_DEFAULT } from "../domain/limits.ts";
import { email, Me, newPassword } from "./accounts.ts";
import { operation, plain } from "./operation.ts";
import { SAMPLE } from "./samples.ts";
import { about, cursor, id, instant, limit, name, page, pathIdOf } from "./shapes.ts";

const mailed = z.object({ ok: z.literal(true) }).meta({ examples: [{ ok: true }] });
/** Only compared with the stored one. */
const password = z.string().max(1000);

export const verify = operation({
  ...plain,
  method: "POST",
  path: "/v1/auth/verify",
  auth: "session",
  tag: "Accounts",
  summary: "Prove an address with the link's token",
  description:
    "With a session of the very account that the link was mailed for. Nothing in the account ends by it. A link to a new " +
    "address makes that one the account's.",
  body: z.strictObject({ token: z.string().max(1000) }),
  result: Me,
  success: { 200: "The address is proven. A second time it still is." },
  refusals: ["verify_link_invalid", "email_taken"],
  examples: { "The token is in the link": { token: "Zm9yIGV4YW1wbGUgb25seQ" } },
});

export const sendVerification = operation({
  ...plain,
  method: "POST",
  path: "/v1/auth/verify/send",
  auth: "session",
  tag: "Accounts",
  summary: "Mail a link to prove the account's address",
  description: "Signing up does that by itself. Of an address that is proven already there is nothing to mail.",
  result: mailed,
  success: { 202: "The mail is on its way; its link works for three days." },
  refusals: ["mail_not_configured"],
});

export const rename = operation({
  ...plain,
  method: "PATCH",
  path: "/v1/auth/me",
  auth: "session",
  tag: "Accounts",
  summary: "Change your name",
  body: z.strictObject({ name: name.nullable().meta(about("null removes it.")) }),
  result: Me,
  success: { 200: "The account, as it now is." },
  refusals: [],
  examples: { "Another name": { name: "Ada King" } },
});

export const changePassword = operation({
  ...plain,
  method: "POST",
  path: "/v1/auth/password",
  auth: "session",
  tag: "Accounts",
  summary: "Change your password",
  description:
    "All other sessions end, and so do applications that you let in, links to reset the password, and changes of the " +
    "address that were asked for. This session stays.",
  body: z.strictObject({ current: password, password: newPassword }),
  success: { 204: "The new password stands." },
  refusals: ["current_password_wrong", "factor_required", "password_too_short", "password_too_common"],
  examples: {
    "A better one": { current: "correct horse battery", password: "a better horse battery" },
  },
});

export const changeEmail = operation({
  ...plain,
  method: "POST",
  path: "/v1/auth/email",
  auth: "session",
  tag: "Accounts",
  summary: "Change your email address",
  description:
    "A link goes to the new address; nothing changes before it is used (`POST /v1/auth/verify`). The old address gets a mail. " +
    "The answer is the same where another account has the new address: then that one gets a mail that says so.",
  body: z.strictObject({ email, password }),
  result: mailed,
  success: { 202: "The mails are on their way; the link works for three days." },
  refusals: ["email_invalid", "current_password_wrong", "factor_required", "mail_not_configured"],
  examples: { "Another mailbox": { email: "ada@king.example", password: "correct horse battery" } },
});

const Session = z
  .object({
    id: id.meta(about("Names the session and opens nothing.")),
    created_at: instant,
    last_used_at: instant.meta(about("Within the hour.")),
    expires_at: instant.meta(about("When it ends in any case.")),
    user_agent: z.string().nullable().meta(about("Browser and system, or the program's name; null: it did not say.")),
    current: z.boolean().meta(about("The session of this very call.")),
  })
  .meta({
    id: "Session",
    examples: [
      {
        id: SAMPLE.sessionId,
        created_at: SAMPLE.signedUp,
        last_used_at: SAMPLE.created,
        expires_at: SAMPLE.sessionEnds,
        user_agent: "Firefox on Linux",
        current: true,
      },
    ],
  });

export const listSessions = operation({
  ...plain,
  method: "GET",
  path: "/v1/auth/sessions",
  auth: "session",
  tag: "Accounts",
  summary: "Where you are signed in",
  query: z.object({ limit: limit(LIST_LIMIT_DEFAULT), cursor }),
  result: page("sessions", Session),
  success: { 200: "Newest first; none that is over." },
  refusals: ["unreadable_cursor"],
});

export const endSession = operation({
  ...plain,
  method: "DELETE",
  path: "/v1/auth/sessions/:id",
  auth: "session",
  tag: "Accounts",
  summary: "End one of your sessions",
  description: "Its next call is refused. The current one can be ended too.",
  params: z.object(pathIdOf(SAMPLE.sessionId)),
  success: { 204: "It has ended." },
  refusals: ["not_found"],
});
