// Checks whether each network knows our app, if it can be asked without a user, and lists the app's requirements. It uses
// the operator's copy of the app's credentials, because the Worker's own cannot be read.
import * as z from "zod";
import { get } from "../../src/networks/facebook/api.ts";
import { callToken as askLinkedIn } from "../../src/networks/linkedin/api.ts";
import { type Answer, ask, CALL_TIMEOUT_MS } from "../../src/networks/shared/http-call.ts";
import { HOST as THREADS } from "../../src/networks/threads/api.ts";
import { HOST as TIKTOK } from "../../src/networks/tiktok/api.ts";
import { callToken as askX } from "../../src/networks/x/api.ts";
import { renewal } from "../../src/networks/youtube/api.ts";
import { APP_PAGES, ofApp } from "../deploy/to-do.ts";
import type { Finding } from "./examine.ts";

export interface Apps {
  /** The Worker's settings. */
  vars: Record<string, string>;
  has(name: string): boolean;
  /** The Worker's name. */
  name: string;
  baseUrl: string;
  /** The operator's copy of the secrets. */
  known: Record<string, string | undefined>;
}

interface App {
  clientId: string;
  clientSecret: string;
  scopes: null;
}

interface Try {
  ask(app: App): Promise<Answer>;
  /** Errors that prove that the app authenticated successfully. */
  knows: string[];
  /** Errors that prove that the credentials are wrong. */
  refuses: string[];
}

/** No network has issued this token. Only a network that has authenticated the app looks it up (RFC 6749, 5.2). */
const NO_TOKEN = "crier-doctor-no-such-token";
const OWN_TOKEN = "client_credentials";
const fetchDirect = (url: string, init: RequestInit = {}) => fetch(url, { ...init, redirect: "manual" });

/** Graph's codes for a wrong app id or secret. */
const GRAPH_REFUSES = ["1", "101"];

const TRIES: Record<string, Try> = {
  x: {
    ask: (app) => askX({ app, fetch: fetchDirect }, { grant_type: "refresh_token", refresh_token: NO_TOKEN }),
    knows: ["invalid_grant", "invalid_request"],
    refuses: ["invalid_client", "unauthorized_client"],
  },
  youtube: {
    ask: (app) => renewal({ fetch: fetchDirect }, app, NO_TOKEN),
    knows: ["invalid_grant"],
    refuses: ["invalid_client", "unauthorized_client"],
  },
  // learn.microsoft.com/linkedin/shared/authentication/client-credentials-flow, read 2026-11-22: few apps get such a token.
  linkedin: {
    ask: (app) => askLinkedIn({ app, fetch: fetchDirect }, { grant_type: OWN_TOKEN }),
    knows: ["access_denied", "unauthorized_client"],
    refuses: ["invalid_client"],
  },
  // developers.tiktok.com/doc/client-access-token-management, read 2026-11-22.
  tiktok: {
    ask({ clientId, clientSecret }) {
      const body = new URLSearchParams({ client_key: clientId, client_secret: clientSecret, grant_type: OWN_TOKEN });
      return ask(
        (signal) => fetchDirect(`${TIKTOK}/v2/oauth/token/`, { method: "POST", body, signal }),
        CALL_TIMEOUT_MS,
      );
    },
    knows: [],
    refuses: ["invalid_client"],
  },
  facebook: {
    ask: (app) => get({ fetch: fetchDirect }, null, "/oauth/access_token", buildTokenQuery(app)),
    knows: [],
    refuses: GRAPH_REFUSES,
  },
  // developers.facebook.com/documentation/threads/get-started/app-access-tokens, read 2026-11-22.
  threads: {
    ask(app) {
      const url = `${THREADS}/oauth/access_token?${new URLSearchParams(buildTokenQuery(app))}`;
      return ask((signal) => fetchDirect(url, { signal }), CALL_TIMEOUT_MS);
    },
    knows: [],
    refuses: GRAPH_REFUSES,
  },
};

const buildTokenQuery = ({ clientId, clientSecret }: App) => ({
  client_id: clientId,
  client_secret: clientSecret,
  grant_type: OWN_TOKEN,
});

/** Where each setting is found on the app's page. */
const PLACES: Record<string, string> = {
  x: "Keys and tokens, OAuth 2.0 Client ID and Client Secret",
  youtube: "OAuth 2.0 Client IDs",
  linkedin: "Auth, Application credentials",
  tiktok: "Credentials: Client key and Client secret",
  facebook: "App settings, Basic: App ID and App secret",
  threads: "App settings, Basic: Threads App ID and Threads App secret, not those of the app itself",
};

/** Networks reveal the scopes of an app only when a user consents, so the requirements are listed here. */
export async function examineApps({ vars, has, name, baseUrl, known }: Apps, tell: (finding: Finding) => void) {
  for (const platform of Object.keys(APP_PAGES)) {
    const setting = (suffix: string) => `${platform.toUpperCase()}_${suffix}`;
    const names = [setting("CLIENT_ID"), setting("CLIENT_SECRET")];
    if (!names.every(has)) continue;
    const needs = `Requirements: ${ofApp(platform, { baseUrl, scopes: vars[setting("SCOPES")] })}`;
    const [clientId, clientSecret] = names.map((settingName) => known[settingName] || vars[settingName]);
    const trial = TRIES[platform];
    const say = (state: Finding["state"], message: string, fix?: string) =>
      tell({ check: platform, state, message: `${message} ${needs}`, ...(fix === undefined ? {} : { fix }) });
    if (trial === undefined) say("ok", "An app is configured; it cannot be tested without a user.");
    else if (!clientId || !clientSecret)
      say(
        "ok",
        "An app is configured, but its secret cannot be read here. To test it, provide a copy with --secrets FILE or in the environment.",
      );
    else {
      const { is, why } = classifyAnswer(await trial.ask({ clientId, clientSecret, scopes: null }), trial);
      const set = names.map((settingName) => `npx wrangler secret put ${settingName} --name ${name}`);
      if (is === "known") say("ok", "An app is configured, and the network accepts it.");
      else if (is === "refused")
        say(
          "failed",
          `The network rejects the app: ${why}.`,
          [`${APP_PAGES[platform]} (${PLACES[platform]})`, ...set].join("\n"),
        );
      else
        say(
          "warning",
          `An app is configured, but it is unclear whether the network accepts it: ${why}.`,
          "Try again later.",
        );
    }
  }
}

const Said = z.object({
  access_token: z.string().min(1).optional(),
  error: z.union([z.string(), z.object({ code: z.number(), message: z.string().default("") })]).optional(),
  error_description: z.string().default(""),
});

function classifyAnswer(answer: Answer, { knows, refuses }: Try): { is: "known" | "refused" | "unclear"; why: string } {
  if (answer.is === "silence") return { is: "unclear", why: answer.detail };
  const { access_token, error, error_description } = Said.safeParse(answer.body).data ?? { error_description: "" };
  const code = typeof error === "object" ? String(error.code) : (error ?? "");
  const errorText = typeof error === "object" ? error.message : error_description;
  const reason = [String(answer.status), code, errorText.slice(0, 200)].filter((text) => text !== "").join(" ");
  if (answer.status < 300 && access_token !== undefined) return { is: "known", why: reason };
  if (answer.status >= 500 || answer.status === 429) return { is: "unclear", why: reason };
  if (knows.includes(code)) return { is: "known", why: reason };
  return { is: refuses.includes(code) ? "refused" : "unclear", why: reason };
}
