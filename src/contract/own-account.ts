// The signed-in user's own data: name, password, email address, sessions.
import * as z from "zod";
import { LIST_LIMIT_DEFAULT } from "../domain/limits.ts";
import { email, Me, newPassword } from "./accounts.ts";
import { operation, plain } from "./operation.ts";
import { SAMPLE } from "./samples.ts";
import { about, buildIdParams, cursor, id, instant, limit, name, page } from "./shapes.ts";

const mailed = z.object({ ok: z.literal(true) }).meta({ examples: [{ ok: true }] });
/** A password that is only compared with the stored hash, so no rules apply to it. */
const password = z.string().max(1000);

export const verify = operation({
  ...plain,
  method: "POST",
  path: "/v1/auth/verify",
  auth: "session",
  tag: "Accounts",
  summary: "Verify an email address with the link's token",
  description:
    "Requires a session of the account that the link was mailed for. No session or access ends. Verifying a new " +
    "address makes it the account's address.",
  body: z.strictObject({ token: z.string().max(1000) }),
  result: Me,
  success: { 200: "The address is verified. Repeating the call has the same result." },
  refusals: ["verify_link_invalid", "email_taken"],
  examples: { "The token is in the link": { token: "Zm9yIGV4YW1wbGUgb25seQ" } },
});

export const sendVerification = operation({
  ...plain,
  method: "POST",
  path: "/v1/auth/verify/send",
  auth: "session",
  tag: "Accounts",
  summary: "Mail a link to verify the account's address",
  description: "Signing up mails this link automatically. If the address is already verified, no mail is sent.",
  result: mailed,
  success: { 202: "The mail is being sent. Its link works for three days." },
  refusals: ["mail_not_configured"],
});

export const rename = operation({
  ...plain,
  method: "PATCH",
  path: "/v1/auth/me",
  auth: "session",
  tag: "Accounts",
  summary: "Change your name",
  body: z.strictObject({ name: name.nullable().meta(about("Null removes the name.")) }),
  result: Me,
  success: { 200: "The updated account." },
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
    "Ends all other sessions, revokes applications and links to reset the password, and cancels pending changes of the " +
    "address. The current session remains.",
  body: z.strictObject({ current: password, password: newPassword }),
  success: { 204: "Password changed." },
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
    "Mails a link to the new address. Nothing changes until it is used (`POST /v1/auth/verify`). The old address is notified. " +
    "If another account has the new address, the response is the same, and that account gets a mail that says so.",
  body: z.strictObject({ email, password }),
  result: mailed,
  success: { 202: "The mails are being sent. The link works for three days." },
  refusals: ["email_invalid", "current_password_wrong", "factor_required", "mail_not_configured"],
  examples: { "Another mailbox": { email: "ada@king.example", password: "correct horse battery" } },
});

const Session = z
  .object({
    id: id.meta(about("Identifies the session. It is not a credential.")),
    created_at: instant,
    last_used_at: instant.meta(about("Accurate to within an hour.")),
    expires_at: instant.meta(about("The latest time at which the session ends.")),
    user_agent: z.string().nullable().meta(about("Browser and system, or the program's name. Null if not sent.")),
    current: z.boolean().meta(about("Whether this is the session of the current call.")),
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
  summary: "List your sessions",
  query: z.object({ limit: limit(LIST_LIMIT_DEFAULT), cursor }),
  result: page("sessions", Session),
  success: { 200: "Your active sessions, newest first." },
  refusals: ["unreadable_cursor"],
});

export const endSession = operation({
  ...plain,
  method: "DELETE",
  path: "/v1/auth/sessions/:id",
  auth: "session",
  tag: "Accounts",
  summary: "End one of your sessions",
  description: "The next call of the session is rejected. The current session can be ended too.",
  params: z.object(buildIdParams(SAMPLE.sessionId)),
  success: { 204: "The session has ended." },
  refusals: ["not_found"],
});
