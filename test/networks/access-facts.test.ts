// The requirements for an ordinary app and an ordinary account, fact by fact. The docs page and the dialogs are printed
// from the texts of the rule, so each fact must be in the rule.
import { describe, expect, it } from "vitest";
import type { AccessRule } from "../../src/domain/posts/platform-rule.ts";
import { networks } from "../../src/networks/index.ts";

/** A text of a rule: one of its general texts, or the text of one problem. */
type Place = "app" | "account" | "review" | "limits" | `problems.${string}`;

const FACTS: [platform: string, fact: string, place: Place, words: RegExp][] = [
  [
    "facebook",
    "in Development mode, posts are visible only to people of the app",
    "limits",
    /Development mode.*only people with a role in the app/,
  ],
  [
    "facebook",
    "such a post is reported as live and must not be published again",
    "problems.live_mode",
    /`live`.*Do not publish it again/,
  ],
  [
    "facebook",
    "publishing needs three permissions",
    "app",
    /pages_show_list.*pages_read_engagement.*pages_manage_posts/,
  ],
  [
    "facebook",
    "a missing permission ends the consent, and the operator can request fewer",
    "problems.permission",
    /Invalid Scopes.*FACEBOOK_SCOPES/,
  ],
  [
    "facebook",
    "a person has to log in at facebook.com if Facebook asks for it",
    "problems.sign_in_at_facebook",
    /459 or 464.*Log in at facebook\.com/,
  ],
  ["facebook", "the person needs a task on the Page", "problems.page_role", /`permission_missing`.*task Content/],
  [
    "instagram",
    "the account must be a professional account",
    "account",
    /professional account \(Business or Creator\)/,
  ],
  [
    "instagram",
    "a personal account is rejected when it is connected",
    "problems.professional_account",
    /Connecting is refused.*Switch to a professional/,
  ],
  [
    "instagram",
    "the product's own id and secret are required, and Meta's other ids cause error 4476002",
    "problems.app_id",
    /4476002.*INSTAGRAM_CLIENT_ID/,
  ],
  [
    "instagram",
    "before the review, an account must be a tester who has accepted the invitation",
    "problems.tester",
    /Insufficient developer role.*accept the invitation/,
  ],
  ["threads", "the use case's own id and secret are required", "problems.app_id", /4476002.*THREADS_CLIENT_ID/],
  [
    "threads",
    "before the review, an account must be a tester who has accepted the invitation",
    "problems.tester",
    /has not accepted the invitation.*Threads testers/,
  ],
  [
    "tiktok",
    "an unaudited app may post for five users in 24 hours, to private accounts",
    "review",
    /5 users in 24 hours, to private accounts.*SELF_ONLY/,
  ],
  [
    "tiktok",
    "such an app may send drafts",
    "problems.audit",
    /unaudited_client_can_only_post.*`post_mode: inbox`.*`video\.upload`/,
  ],
  [
    "tiktok",
    "audits reject tools for one's own accounts",
    "review",
    /audit rejects tools that serve only your own accounts/,
  ],
  [
    "tiktok",
    "the redirect address uses https and does not contain the network's name",
    "app",
    /https address.*refuses some addresses with its own name/,
  ],
  [
    "tiktok",
    "the domain of photos must be verified",
    "problems.verified_domain",
    /url_ownership_unverified.*Verify the address prefix/,
  ],
  ["tiktok", "the sixth user of a day has to wait", "problems.user_cap", /reached_active_user_cap.*5 users/],
  [
    "tiktok",
    "the sixth draft of a day has to wait",
    "problems.pending_drafts",
    /spam_risk_too_many_pending_share.*5 in 24 hours/,
  ],
  [
    "pinterest",
    "with trial access, pins are rejected or visible only to their owner",
    "limits",
    /Trial access.*refused, or seen by its owner only/,
  ],
  [
    "pinterest",
    "the rejection is 403 with code 29",
    "problems.standard_access",
    /403, code 29.*Request Standard access/,
  ],
  [
    "youtube",
    "videos of an unaudited project stay private",
    "problems.audit",
    /`live` and stays private.*Request the audit/,
  ],
  [
    "youtube",
    "refresh tokens of an app in testing expire after seven days",
    "limits",
    /Testing, a refresh token ends after 7 days/,
  ],
  [
    "youtube",
    "such a channel loses access, and publishing the app fixes it",
    "problems.production",
    /after 7 days with `token_expired`.*`token_revoked`.*Publish the app/,
  ],
  ["youtube", "a project has 100 uploads a day", "limits", /100 uploads a day for each project/],
  [
    "linkedin",
    "Community Management is the only product of its app",
    "app",
    /"Community Management API" as its only product/,
  ],
  [
    "linkedin",
    "one scope that the app lacks fails the whole consent",
    "problems.products",
    /whole consent with unauthorized_scope_error.*LINKEDIN_SCOPES/,
  ],
  [
    "linkedin",
    "a self-serve app gets no refresh token, so a channel lasts 60 days",
    "limits",
    /no refresh token.*every 60 days/,
  ],
  [
    "linkedin",
    "such a channel loses access with its token, after a warning",
    "problems.refresh_token",
    /60 days with `token_expired`.*a week and a day before/,
  ],
  ["x", "the app has the type Web App with Read and write", "app", /"Web App, Automated App or Bot".*"Read and write"/],
  [
    "x",
    "credits must be bought, and posts wait without them",
    "problems.credits",
    /`network_billing` \(402\).*Buy credits/,
  ],
  [
    "x",
    "the owner has to unlock a locked account",
    "problems.unlocked_account",
    /temporarily locked.*Sign in at x\.com/,
  ],
  ["bluesky", "an app password is sufficient", "account", /app password: Settings, Privacy and security/],
  ["bluesky", "videos need a confirmed email address", "problems.email", /`unconfirmed_email`.*Confirm the address/],
  [
    "telegram",
    "the bot must be an administrator of the channel",
    "account",
    /administrator of the channel with the right to post messages/,
  ],
  [
    "telegram",
    "a bot without the right to post is rejected when it is connected",
    "problems.right_to_post",
    /may not post in this chat.*right to post/,
  ],
];

function getText({ app, problems, ...texts }: AccessRule, place: Place): string {
  if (place === "app") return JSON.stringify(app).replaceAll('\\"', '"');
  const [, problem] = place.split(".");
  if (problem === undefined) return place in texts ? String(Object(texts)[place]) : expect.fail(place);
  const { sign, fix } = problems[problem] ?? expect.fail(`no problem ${problem}`);
  return `${sign} ${fix}`;
}

describe.each(FACTS)("the access rule of %s", (platform, fact, place, words) => {
  it(`states that ${fact}`, () => {
    const { rule } = networks.find((network) => network.rule.platform === platform) ?? expect.fail(platform);
    expect(getText(rule.access, place)).toMatch(words);
  });
});

it("covers every network", () => {
  const coveredNetworks = new Set(FACTS.map(([platform]) => platform));
  expect([...coveredNetworks].toSorted()).toEqual(networks.map(({ rule }) => rule.platform).toSorted());
});
