import * as z from "zod";
import { EMAIL_LENGTH_MAX, HEIRS_MAX, PASSWORD_LENGTH_MAX, PASSWORD_LENGTH_MIN } from "../domain/limits.ts";
import { operation, plain } from "./operation.ts";
import { SAMPLE } from "./samples.ts";
import { about, as, id, instant, name, text } from "./shapes.ts";
import { timezone, Workspace } from "./workspaces.ts";

export const email = z
  .string()
  .trim()
  .max(EMAIL_LENGTH_MAX, as("email_invalid"))
  .pipe(z.email(as("email_invalid")))
  .meta({
    format: "email",
    description: "Compared without regard to case.",
    examples: ["ada@example.com"],
  });
export const newPassword = text(PASSWORD_LENGTH_MAX)
  .min(PASSWORD_LENGTH_MIN, as("password_too_short"))
  .meta(about("Any characters; the most common passwords are refused."));

export const User = z
  .object({
    id,
    email: z.string(),
    name: z.string().nullable(),
    email_verified: z.boolean(),
    created_at: instant,
  })
  .meta({
    id: "User",
    examples: [
      { id: SAMPLE.user, email: "ada@example.com", name: "Ada", email_verified: false, created_at: SAMPLE.signedUp },
    ],
  });

export const SignedIn = z
  .object({
    token: z.string().meta({ examples: [SAMPLE.session] }),
    expires_at: instant.meta({ examples: [SAMPLE.sessionEnds] }),
    user: User,
    workspaces: z.array(Workspace),
  })
  .meta({ id: "SignedIn" });

/** The signed-in user. */
export const Me = z.object({ user: User, workspaces: z.array(Workspace) }).meta({ id: "Me" });

export const signUp = operation({
  ...plain,
  method: "POST",
  path: "/v1/auth/signup",
  auth: "none",
  tag: "Accounts",
  summary: "Create an account with its first workspace",
  description: "Where the deployment can send mail, a link to prove the address is on its way.",
  body: z.strictObject({
    email,
    password: newPassword,
    name: name.optional(),
    workspace: name.optional().meta({ description: "Name of the first workspace." }),
    timezone: timezone.optional().meta({
      description: "IANA zone of the first workspace: the person's own. Default `UTC`.",
      examples: ["America/New_York"],
    }),
    invitation: z.string().max(1000).optional().meta({
      description: "The token of an invitation's link. Needed where `GET /v1/auth/methods` says `invite`.",
    }),
  }),
  result: SignedIn,
  success: { 201: "The account, its workspace and a session. The key is revealed separately." },
  refusals: [
    "email_invalid",
    "password_too_short",
    "password_too_common",
    "email_taken",
    "sign_up_closed",
    "timezone_unknown",
    "key_not_configured",
  ],
  session: "begins",
  examples: {
    "A user and their first workspace": {
      email: "ada@example.com",
      password: "correct horse battery",
      name: "Ada",
      workspace: "Analytical Engines",
      timezone: "Europe/London",
    },
  },
});

export const signIn = operation({
  ...plain,
  method: "POST",
  path: "/v1/auth/login",
  auth: "none",
  tag: "Accounts",
  summary: "Sign in with email and password",
  body: z.strictObject({ email: z.string().max(1000), password: z.string().max(1000) }),
  result: SignedIn,
  success: { 200: "A new session, as token and as cookie." },
  refusals: ["invalid_credentials", "factor_required"],
  examples: { "Sign in": { email: "ada@example.com", password: "correct horse battery" } },
  session: "begins",
});

export const signOut = operation({
  ...plain,
  method: "POST",
  path: "/v1/auth/logout",
  auth: "session",
  tag: "Accounts",
  summary: "End the current session",
  success: { 204: "The session has ended." },
  refusals: [],
  session: "ends",
});

export const me = operation({
  ...plain,
  method: "GET",
  path: "/v1/auth/me",
  auth: "session",
  tag: "Accounts",
  summary: "Who is signed in, and where they may act",
  result: Me,
  success: { 200: "Never holds a key." },
  refusals: [],
});

export const erase = operation({
  ...plain,
  method: "DELETE",
  path: "/v1/auth/me",
  auth: "session",
  tag: "Accounts",
  summary: "Erase the account",
  description:
    "Workspaces that nobody else belongs to go with everything in them: channels, media, posts, deliveries, webhooks. " +
    "Shared ones stay, and what was written and decided in them keeps the name that it was done by. An heir owns theirs at once " +
    "and gets a mail. A workspace that would have no owner is offered to its members by mail: the first who accepts " +
    "(`POST /v1/workspaces/:id/ownership`) owns it, and until then everybody keeps their role.",
  body: z.strictObject({
    password: z
      .string()
      .max(1000)
      .optional()
      .meta(about("The account's password. A wrong one erases nothing. The dashboard always sends it.")),
    heirs: z
      .record(z.string().max(100), z.string().max(100))
      .refine((heirs) => Object.keys(heirs).length <= HEIRS_MAX, as("invalid_field"))
      .optional()
      .meta(about(`Another member, by the id of a workspace that you own, who then owns it. At most ${HEIRS_MAX}.`)),
  }),
  bodyOptional: true,
  success: { 204: "The account is gone." },
  refusals: ["current_password_wrong", "factor_required"],
  examples: {
    "With the password, and an heir": {
      password: "correct horse battery",
      heirs: { [SAMPLE.workspace]: SAMPLE.otherUser },
    },
  },
  session: "ends",
});

export const forgot = operation({
  ...plain,
  method: "POST",
  path: "/v1/auth/forgot",
  auth: "none",
  tag: "Accounts",
  summary: "Mail a link to set a new password",
  body: z.strictObject({ email: z.string().max(1000) }),
  result: z.object({ ok: z.literal(true) }).meta({ examples: [{ ok: true }] }),
  success: { 202: "Whether or not there is such an account." },
  refusals: ["mail_not_configured"],
  examples: { "Forgotten password": { email: "ada@example.com" } },
});

export const reset = operation({
  ...plain,
  method: "POST",
  path: "/v1/auth/reset",
  auth: "none",
  tag: "Accounts",
  summary: "Set a new password with the link's token",
  description:
    "The link works once, for an hour. All sessions of the user and all applications that they let in end, and a fresh " +
    "session begins. If the account has a second factor, the password is set, and the answer is 401 `factor_required`: the " +
    "session begins with `POST /v1/auth/login/factor`.",
  body: z.strictObject({ token: z.string().max(1000), password: newPassword }),
  result: SignedIn,
  success: { 200: "The new session." },
  refusals: ["reset_link_invalid", "password_too_short", "password_too_common", "factor_required"],
  examples: { "The token is in the link": { token: "Zm9yIGV4YW1wbGUgb25seQ", password: "a better horse battery" } },
  session: "begins",
});

export const methods = operation({
  ...plain,
  method: "GET",
  path: "/v1/auth/methods",
  auth: "none",
  tag: "Accounts",
  summary: "How one can sign in here",
  result: z
    .object({
      password: z.literal(true),
      sign_up: z.enum(["open", "invite"]).meta({
        description: "Who may make an account: anybody, or only who shows an invitation. The first account needs none.",
      }),
      providers: z.array(
        z.object({
          id: z.string(),
          name: z.string(),
          start_url: z.string().meta({
            description:
              "Open it in a browser. With `?timezone=` and an IANA zone, the workspace of somebody new is on that clock.",
          }),
        }),
      ),
    })
    .meta({
      examples: [
        {
          password: true,
          sign_up: "open",
          providers: [{ id: "google", name: "Google", start_url: "https://api.example.com/v1/oauth/google/start" }],
        },
      ],
    }),
  success: { 200: "The ways that this deployment offers." },
  refusals: [],
});
