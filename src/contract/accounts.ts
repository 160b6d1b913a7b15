import * as z from "zod";
import { EMAIL_LENGTH_MAX, HEIRS_MAX, PASSWORD_LENGTH_MAX, PASSWORD_LENGTH_MIN } from "../domain/limits.ts";
import { operation, plain } from "./operation.ts";
import { SAMPLE } from "./samples.ts";
import { about, id, instant, name, refuseAs, text } from "./shapes.ts";
import { timezone, Workspace } from "./workspaces.ts";

export const email = z
  .string()
  .trim()
  .max(EMAIL_LENGTH_MAX, refuseAs("email_invalid"))
  .pipe(z.email(refuseAs("email_invalid")))
  .meta({
    format: "email",
    description: "Email address. Case-insensitive.",
    examples: ["ada@example.com"],
  });
export const newPassword = text(PASSWORD_LENGTH_MAX)
  .min(PASSWORD_LENGTH_MIN, refuseAs("password_too_short"))
  .meta(about("Any characters. The most common passwords are rejected."));

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
  description: "If the deployment can send mail, it mails a link to verify the address.",
  body: z.strictObject({
    email,
    password: newPassword,
    name: name.optional(),
    workspace: name.optional().meta({ description: "Name of the first workspace." }),
    timezone: timezone.optional().meta({
      description: "IANA zone of the first workspace: the user's own. Default `UTC`.",
      examples: ["America/New_York"],
    }),
    invitation: z.string().max(1000).optional().meta({
      description: "The token from an invitation link. Required if `GET /v1/auth/methods` says `invite`.",
    }),
  }),
  result: SignedIn,
  success: { 201: "The account, its workspace and a session. The workspace key is revealed separately." },
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
  success: { 200: "A new session, as a token and as a cookie." },
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
  summary: "Get the signed-in user and their workspaces",
  result: Me,
  success: { 200: "The user and their workspaces, without any key." },
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
    "Workspaces with no other member are erased with their channels, media, posts, deliveries and webhooks. " +
    "Shared workspaces remain, and posts and decisions in them keep their author's name. An heir becomes the owner at once " +
    "and is notified by mail. A workspace left without an owner is offered to its members by mail: the first to accept " +
    "(`POST /v1/workspaces/:id/ownership`) becomes its owner. Until then, all members keep their roles.",
  body: z.strictObject({
    password: z
      .string()
      .max(1000)
      .optional()
      .meta(about("The account's password. If it is wrong, nothing is erased. The dashboard always sends it.")),
    heirs: z
      .record(z.string().max(100), z.string().max(100))
      .refine((heirs) => Object.keys(heirs).length <= HEIRS_MAX, refuseAs("invalid_field"))
      .optional()
      .meta(
        about(`The id of the member who becomes the owner, by id of a workspace that you own. At most ${HEIRS_MAX}.`),
      ),
  }),
  bodyOptional: true,
  success: { 204: "The account is erased." },
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
  summary: "Send a password reset link",
  body: z.strictObject({ email: z.string().max(1000) }),
  result: z.object({ ok: z.literal(true) }).meta({ examples: [{ ok: true }] }),
  success: { 202: "Accepted. The answer is the same whether or not the account exists." },
  refusals: ["mail_not_configured"],
  examples: { "Forgotten password": { email: "ada@example.com" } },
});

export const reset = operation({
  ...plain,
  method: "POST",
  path: "/v1/auth/reset",
  auth: "none",
  tag: "Accounts",
  summary: "Set a new password with the token from the link",
  description:
    "The link works once, for an hour. All sessions of the user and all applications they authorized end, and a new " +
    "session begins. If the account has a second factor, the password is set and the answer is 401 `factor_required`: the " +
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
  summary: "List the sign-in methods",
  result: z
    .object({
      password: z.literal(true),
      sign_up: z.enum(["open", "invite"]).meta({
        description:
          "Whether sign-up is open to everyone or requires an invitation. The first account never requires one.",
      }),
      providers: z.array(
        z.object({
          id: z.string(),
          name: z.string(),
          start_url: z.string().meta({
            description:
              "The address to open in a browser. `?timezone=` with an IANA zone sets the time zone of a new user's workspace.",
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
  success: { 200: "The methods that this deployment offers." },
  refusals: [],
});
