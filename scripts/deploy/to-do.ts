// The setup steps that only a person can do, each with the page to visit and the command that completes it.
import { rule as facebook } from "../../src/networks/facebook/rule.ts";
import { rule as instagram } from "../../src/networks/instagram/rule.ts";
import { rule as linkedin } from "../../src/networks/linkedin/rule.ts";
import { rule as pinterest } from "../../src/networks/pinterest/rule.ts";
import { rule as threads } from "../../src/networks/threads/rule.ts";
import { rule as tiktok } from "../../src/networks/tiktok/rule.ts";
import { rule as x } from "../../src/networks/x/rule.ts";
import { rule as youtube } from "../../src/networks/youtube/rule.ts";
import { DASHBOARD } from "./cloudflare.ts";

/**
 * The networks whose channels are connected by consent. Their rules are imported directly, because the registry imports a
 * list of top-level domains that Node does not load unmodified.
 */
const WITH_APPS = new Map(
  [x, pinterest, instagram, tiktok, linkedin, youtube, facebook, threads].map((rule) => [rule.platform, rule]),
);

/** The page for registering an app with each of these networks. */
export const APP_PAGES: Record<string, string> = Object.fromEntries(
  [...WITH_APPS].flatMap(([platform, { access }]) => (access.app === null ? [] : [[platform, access.app.page]])),
);

export interface Done {
  /** Whether a setting or secret has a value. */
  has(name: string): boolean;
  /** Whether Cloudflare's email binding is bound, which makes an SMTP server unnecessary. */
  sendsMail: boolean;
  name: string;
  /** null: the installation has no bucket. */
  bucket: string | null;
  /** Whether the Worker has the Images binding. */
  hasImages: boolean;
  accountId: string;
  baseUrl: string;
  /** The sign-in provider's name in our addresses. */
  provider: string;
  /** The command to redeploy this installation. */
  again: string;
}

/** A remaining setup step. */
export interface Left {
  what: string;
  how: string;
  commands: string[];
}

/**
 * Describes the requirements for our app and an account at a network. `scopes` is the value of `<PLATFORM>_SCOPES`, because a
 * network does not reveal an app's scopes before a user consents.
 */
export function ofApp(platform: string, { baseUrl, scopes }: { baseUrl: string; scopes?: string }): string {
  const rule = WITH_APPS.get(platform);
  if (rule === undefined || rule.access.app === null) throw new Error(`${platform} has no app.`);
  const { app, account, review } = rule.access;
  const requestedScopes = scopes || (rule.permissions?.asked ?? []).join(" ");
  return `redirect address ${baseUrl}/v1/channels/callback/${app.callback}, scopes ${requestedScopes}. App: ${app.kind} Account: ${account} Review: ${review}`;
}

/** The remaining setup steps; empty if everything is set. */
export function toDo({ has, sendsMail, name, bucket, hasImages, accountId, baseUrl, provider, again }: Done): Left[] {
  const secrets = (...names: string[]) =>
    names
      .filter((secretName) => !has(secretName))
      .map((secretName) => `npx wrangler secret put ${secretName} --name ${name}`);
  const setting = (settingName: string, example: string) =>
    has(settingName) ? [] : [`${again} --set ${settingName}=${example}`];
  const tasks: Left[] = [
    {
      what: "uploads",
      how:
        bucket === null
          ? "a bucket. R2 requires a payment card and includes 10 GB for free. Files by address work without a bucket"
          : `a token with "Object Read & Write" for only the bucket ${bucket}: ${DASHBOARD}/${accountId}/r2/api-tokens`,
      commands: bucket === null ? [`${again} --media`] : secrets("S3_ACCESS_KEY_ID", "S3_SECRET_ACCESS_KEY"),
    },
    {
      what: "images",
      how:
        "the Images binding; without it a post with `media_fit: adapt` is answered with 503 images_not_configured, and files go out as they " +
        "are. 5,000 conversions a month are free; none is charged on the free plan of Images",
      commands: hasImages ? [] : [`${again} --images`],
    },
    {
      what: "mail",
      how: "any SMTP server, in the form smtps://user:password@host:465; without mail, passwords cannot be reset",
      commands: [...setting("MAIL_FROM", "crier@example.com"), ...(sendsMail ? [] : secrets("SMTP_URL"))],
    },
    {
      what: "sign-in",
      how:
        "an OAuth client at Google (https://console.cloud.google.com/apis/credentials) or at another OpenID provider; " +
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
  return tasks.filter(({ commands }) => commands.length > 0);
}
