// What only a person can do: each with its page, its address, and the command that ends it.
import type { AccessRule } from "../../src/domain/posts/platform-rule.ts";
import { ACCESS as facebook } from "../../src/networks/facebook/access.ts";
import { ACCESS as instagram } from "../../src/networks/instagram/access.ts";
import { ACCESS as linkedin } from "../../src/networks/linkedin/access.ts";
import { ACCESS as pinterest } from "../../src/networks/pinterest/access.ts";
import { ACCESS as threads } from "../../src/networks/threads/access.ts";
import { ACCESS as tiktok } from "../../src/networks/tiktok/access.ts";
import { ACCESS as x } from "../../src/networks/x/access.ts";
import { ACCESS as youtube } from "../../src/networks/youtube/access.ts";
import { DASHBOARD } from "./cloudflare.ts";

type Access = AccessRule & { app: object };
/** What an app and an account must have, for each network whose channels are connected by consent. */
const APP_ACCESS: Record<string, Access> = {
  x,
  pinterest,
  instagram,
  tiktok,
  linkedin,
  youtube,
  facebook,
  threads,
};

/** Where an app is registered with each of these networks. */
export const APP_PAGES: Record<string, string> = Object.fromEntries(
  Object.entries(APP_ACCESS).map(([platform, { app }]) => [platform, app.page]),
);

export interface Done {
  /** Settings and secrets that have a value. */
  has(name: string): boolean;
  /** Whether Cloudflare's send binding is bound: it needs no SMTP server. */
  sendsMail: boolean;
  name: string;
  /** null: there is to be none. */
  bucket: string | null;
  accountId: string;
  baseUrl: string;
  /** The name that the sign-in provider has in our addresses. */
  provider: string;
  /** How this installation is deployed again. */
  again: string;
}

/** Something that is not set up yet. */
export interface Left {
  what: string;
  how: string;
  commands: string[];
}

/**
 * The scopes that accounts are asked to consent to, where `<PLATFORM>_SCOPES` does not say others: the app must have them.
 * Networks do not tell which of them an app has before somebody consents.
 */
export const APP_SCOPES: Record<string, readonly string[]> = {
  x: ["tweet.read", "tweet.write", "users.read", "media.write", "offline.access"],
  pinterest: ["boards:read", "boards:write", "pins:read", "pins:write", "user_accounts:read"],
  instagram: [
    "instagram_business_basic",
    "instagram_business_content_publish",
    "instagram_business_manage_insights",
    "instagram_business_manage_comments",
  ],
  tiktok: ["user.info.basic", "video.publish"],
  linkedin: ["openid", "profile", "w_member_social"],
  youtube: [
    "https://www.googleapis.com/auth/youtube.upload",
    "https://www.googleapis.com/auth/youtube.readonly",
    "https://www.googleapis.com/auth/youtube.force-ssl",
  ],
  facebook: ["pages_show_list", "pages_read_engagement", "pages_manage_posts"],
  threads: ["threads_basic", "threads_content_publish", "threads_manage_replies", "threads_manage_insights"],
};

/** What an app of ours and an account must have at its network. `scopes`: of `<PLATFORM>_SCOPES`. */
export function ofApp(platform: string, { baseUrl, scopes }: { baseUrl: string; scopes?: string }): string {
  const access = APP_ACCESS[platform];
  const address = `${baseUrl}/v1/channels/callback/${access?.app.callback ?? platform}`;
  const needs = `redirect address ${address}, scopes ${scopes || (APP_SCOPES[platform] ?? []).join(" ")}.`;
  return access === undefined
    ? needs
    : `${needs} App: ${access.app.kind} Account: ${access.account} Review: ${access.review}`;
}

/** What is left; nothing: everything is set. */
export function toDo({ has, sendsMail, name, bucket, accountId, baseUrl, provider, again }: Done): Left[] {
  const secrets = (...names: string[]) =>
    names.filter((one) => !has(one)).map((one) => `npx wrangler secret put ${one} --name ${name}`);
  const setting = (one: string, example: string) => (has(one) ? [] : [`${again} --set ${one}=${example}`]);
  const all: Left[] = [
    {
      what: "uploads",
      how:
        bucket === null
          ? "a bucket; R2 asks for a card, and has 10 GB for nothing. Files at an address of their own work without one"
          : `a token with "Object Read & Write" for the bucket ${bucket} alone: ${DASHBOARD}/${accountId}/r2/api-tokens`,
      commands: bucket === null ? [`${again} --media`] : secrets("S3_ACCESS_KEY_ID", "S3_SECRET_ACCESS_KEY"),
    },
    {
      what: "mail",
      how: "any SMTP server, as smtps://user:password@host:465; without it no password can be reset",
      commands: [...setting("MAIL_FROM", "crier@example.com"), ...(sendsMail ? [] : secrets("SMTP_URL"))],
    },
    {
      what: "sign-in",
      how:
        "a client of Google, https://console.cloud.google.com/apis/credentials, or of another OpenID provider; " +
        `redirect address ${baseUrl}/v1/oauth/${provider}/callback`,
      commands: [
        ...setting("OIDC_ISSUER", "https://accounts.google.com"),
        ...secrets("OIDC_CLIENT_ID", "OIDC_CLIENT_SECRET"),
      ],
    },
    ...Object.entries(APP_PAGES).map(([platform, page]) => ({
      what: platform,
      how: `an app at ${page}; ${ofApp(platform, { baseUrl })}`,
      commands: secrets(`${platform.toUpperCase()}_CLIENT_ID`, `${platform.toUpperCase()}_CLIENT_SECRET`),
    })),
  ];
  return all.filter(({ commands }) => commands.length > 0);
}
