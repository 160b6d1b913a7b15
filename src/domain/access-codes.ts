// The error codes of callers who may not do something: who they are, their rights, and their plan.
import { type CodeEntry, code } from "./code-entry.ts";

export const ACCESS_REFUSALS = {
  unauthorized: code(401, "Authentication is required.", "Send `Authorization: Bearer <workspace key or session>`."),
  key_revoked: code(401, "This workspace key was revoked, or has expired.", "Use the workspace's current key."),
  session_expired: code(401, "This session has ended.", "Sign in again."),
  invalid_credentials: code(401, "The email or the password is wrong."),
  factor_required: code(
    401,
    "The account requires a second factor.",
    "Send it with `challenge`: `POST /v1/auth/login/factor` to sign in, `POST /v1/auth/factors/prove` in a session.",
  ),
  factor_invalid: code(
    401,
    "The code is wrong or was already used.",
    "Each code works once. Wait for the next code, or use a recovery code.",
  ),
  plan_limit: code(
    402,
    "The plan does not allow this.",
    "Upgrade the plan, or delete something that counts towards the limit.",
  ),
  not_an_operator: code(403, "Only an operator of this deployment may do this.", "The setting `OPERATORS` names them."),
  not_a_member: code(403, "The signed-in user is not a member of that workspace."),
  key_not_allowed: code(403, "A workspace key cannot be used for this call.", "Sign in and use a session."),
  role_missing: code(
    403,
    "Your role in the workspace does not allow this.",
    "Ask an owner of the workspace for the role named in `role`.",
  ),
  scope_missing: code(
    403,
    "The key lacks the scope for this call.",
    "Use a key with the scope named in `scope`. An owner of the workspace can create one.",
  ),
  sign_up_closed: code(
    403,
    "Signing up requires an invitation.",
    "Ask an owner of a workspace to invite you, then sign up with the link in the email.",
  ),
  email_not_verified: code(
    403,
    "The account's email address is not verified.",
    "Open the link in the email while signed in with this address.",
  ),
  factor_missing: code(
    403,
    "The workspace requires a second factor, and your account has none.",
    "Set one up with `POST /v1/auth/factors`, or in the dashboard under Settings, Security.",
  ),
  four_eyes: code(
    403,
    "You made the last change to this post, and the workspace does not let members approve their own changes.",
    "Ask another member to approve it. Keys and applications count as the person they belong to.",
  ),
  csrf_refused: code(
    403,
    "The request was sent from another site.",
    "Use `Authorization: Bearer` instead of the cookie.",
  ),
} as const satisfies Record<string, CodeEntry>;
