// Comments on LinkedIn need a permission of their own, which differs between members and pages.
import { expect, it } from "vitest";
import { linkedin } from "../../src/networks/linkedin/index.ts";
import { makeIO, prepareOnce, publication, unique } from "./network-io.ts";
import { allow, REDIRECT, readCode, VERIFIER } from "./persona-consents.ts";
import { simulators, withSimulators } from "./simulators.ts";

withSimulators();

const POSTING = ["r_basicprofile", "w_member_social", "w_organization_social", "r_organization_social"];
const APP = { clientId: "cm_only", clientSecret: "sandbox", scopes: null };

/**
 * Comments on a new post by a member (`index` 0) or by their page (1). Returns the outcome, and the permissions that
 * the channel lacks.
 */
async function comment(index: number, scopes: string[]) {
  const io = { ...makeIO(simulators, "linkedin"), app: APP };
  const allowed = await allow("linkedin", { clientId: APP.clientId }, [...POSTING, "rw_organization_admin", ...scopes]);
  const grant = { code: readCode(allowed) ?? expect.fail("no code"), redirectUri: REDIRECT, verifier: VERIFIER };
  const granted = (await linkedin.consent?.exchange(grant, APP, io)) ?? expect.fail("no consent");
  if (granted.is !== "granted") return expect.fail(JSON.stringify(granted));
  const account = granted.accounts[index] ?? expect.fail("no account");
  const context = { credential: account.credential, io };
  const post = publication(unique("comment on this "));
  const publishKey = await prepareOnce(linkedin, post, context);
  const live = await linkedin.publish(post, publishKey, context);
  if (live.is !== "live") return expect.fail(JSON.stringify(live));
  const outcome = await linkedin.firstComment?.publish({ id: live.id, publishKey }, "First", null, context);
  return { outcome, missing: account.missingPermissions ?? [] };
}

it.each([
  ["a member", 0, "w_member_social_feed", "w_organization_social_feed"],
  ["a page", 1, "w_organization_social_feed", "w_member_social_feed"],
])(
  "lets %s comment with the permission for this account type only, and reports a missing permission",
  async (_, index, scope, otherScope) => {
    const without = await comment(index, [otherScope]);
    expect(without.outcome).toMatchObject({ is: "rejected", error: "permission_missing" });
    expect(without.missing).toContain(scope);
    const granted = await comment(index, [scope]);
    expect(granted.outcome).toEqual({ is: "commented" });
    expect(granted.missing).not.toContain(scope);
    expect(granted.missing).not.toContain(otherScope);
  },
);
