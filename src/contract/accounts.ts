import * as z from "zod";
import { EMAIL_LENGTH_MAX, NAME_LENGTH_MAX, PASSWORD_LENGTH_MAX, PASSWORD_LENGTH_MIN } from "../domain/limits.ts";
import { operation, plain } from "./operation.ts";
import { as, id, instant, line, text } from "./shapes.ts";
import { Workspace } from "./workspaces.ts";

const email = z
  .string()
  .trim()
  .max(EMAIL_LENGTH_MAX, as("email_invalid"))
  .pipe(z.email(as("email_invalid")))
  .meta({
    description: "Compared without regard to case.",
    examples: ["ada@example.com"],
  });
const newPassword = text(PASSWORD_LENGTH_MAX).min(PASSWORD_LENGTH_MIN, as("password_too_short"));

export const User = z
  .object({
    id,
    email: z.string(),
    name: z.string().nullable(),
    email_verified: z.boolean(),
    created_at: instant,
  })
  .meta({ id: "User" });

const SignedIn = z
  .object({ token: z.string(), expires_at: instant, user: User, workspaces: z.array(Workspace) })
  .meta({ id: "SignedIn" });

export const signUp = operation({
  ...plain,
  method: "POST",
  path: "/v1/auth/signup",
  auth: "none",
  tag: "Accounts",
  summary: "Create an account with its first workspace",
  body: z.strictObject({
    email,
    password: newPassword,
    name: line(NAME_LENGTH_MAX).optional(),
    workspace: line(NAME_LENGTH_MAX).optional().meta({ description: "Name of the first workspace." }),
  }),
  result: SignedIn,
  success: { 201: "The account, its workspace and a session. The key is revealed separately." },
  refusals: ["email_invalid", "password_too_short", "email_taken"],
  session: "begins",
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
  refusals: ["invalid_credentials"],
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
  result: z.object({ user: User, workspaces: z.array(Workspace) }),
  success: { 200: "Never holds a key." },
  refusals: [],
});
