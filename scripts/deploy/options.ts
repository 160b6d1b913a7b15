// The options of `npm run deploy`.
import { parseArgs } from "node:util";
import { type AccountPlan, isAccountPlan } from "../../src/domain/account-plan.ts";
import {
  isJurisdiction,
  isLocation,
  JURISDICTIONS,
  type Jurisdiction,
  LOCATIONS,
  type Location,
} from "../../src/domain/place.ts";
import { SETTINGS } from "../../src/settings.ts";

export const USAGE = `npm run deploy                     creates missing resources, applies migrations, uploads, and waits until Crier answers
npm run deploy -- --plan           shows what would change, and changes nothing
  --name NAME                another installation: Worker, database and queues NAME, bucket NAME-media
  --database-location WHERE  location of a new database: weur, eeur, apac, oc, wnam or enam; the Worker and its objects run there
  --jurisdiction WHERE       eu or us: databases, objects, queues and the bucket store data only there; only for the first deploy
  --databases COUNT          number of databases for the workspaces; a database that was created is kept
  --domain HOST              routes HOST, in a zone of the account, to the Worker, and uses it as BASE_URL
  --media-domain HOST        routes HOST to the Worker, and uses it as MEDIA_URL
  --account-plan PLAN        plan of the Cloudflare account, free or paid; later deploys keep it
  --no-media                 no bucket, because R2 requires a payment card. Files by address still work; --media adds the bucket later
  --no-images                no Images binding: images cannot be adapted for networks; --images adds it later
  --set NAME=VALUE           a setting from docs/configuration.md that is not a secret; later deploys keep it
  --secrets FILE             reads missing secrets from FILE (JSON), and saves the secrets that it generates there
  --to-do                    ends with instructions for all remaining manual steps, as the first deploy does
  --help
Running it again is safe: it changes only what is missing or different.
It signs in with CLOUDFLARE_API_TOKEN or with your session from npx wrangler login. CLOUDFLARE_ACCOUNT_ID selects an account.`;

const NAME = /^[a-z](?:[a-z0-9-]{0,38}[a-z0-9])?$/;
/** The queue of `shop-maintenance` would have the name of a queue of `shop`. */
const ENDS_AS_A_QUEUE = /-(?:maintenance|dead-letters)$/;
/** The sweeper queries each database every minute. */
export const DATABASES_MAX = 50;
const HOST = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/;
const APP_SETTING = /^[A-Z]+_(?:CLIENT_ID|SCOPES)$/;
const SECRETS = ["SEAL_KEYS", "SEAL_KEYS_NEXT", "PASSWORD_PEPPER", "SIGNING_KEY", "SMTP_URL", "S3_ACCESS_KEY_ID"];
/** Settings that record the deploy. */
export const SET_BY_DEPLOY = ["VERSION", "DEAD_LETTER_QUEUE", "LOCATION", "JURISDICTION"];
const SECRET = /_(?:CLIENT_SECRET|SECRET_ACCESS_KEY)$/;

export interface Options {
  help: boolean;
  plan: boolean;
  toDo: boolean;
  name: string | undefined;
  location: Location | undefined;
  jurisdiction: Jurisdiction | undefined;
  databases: number | undefined;
  domain: string | undefined;
  mediaDomain: string | undefined;
  /** undefined: the deployed plan, or else the plan that the user names when asked. */
  accountPlan: AccountPlan | undefined;
  /** Whether to create a bucket; undefined: as deployed, or else yes. */
  media: boolean | undefined;
  /** Whether to bind Cloudflare Images; undefined: as deployed, or else yes. */
  images: boolean | undefined;
  settings: Record<string, string>;
  secretsFile: string | undefined;
}

/** The arguments after `npm run deploy --` are invalid. */
export class UsageError extends Error {
  override name = "UsageError";
}

export function readOptions(args: string[]): Options {
  const { values, positionals } = parse(args);
  if (positionals.length > 0) throw new UsageError(`Unknown argument: ${positionals.join(" ")}`);
  const { name, "database-location": location, jurisdiction, domain, "media-domain": mediaDomain } = values;
  if (name !== undefined && (!NAME.test(name) || ENDS_AS_A_QUEUE.test(name))) {
    throw new UsageError(
      `--name ${name}: up to 40 small letters, digits and hyphens, the first a letter, not ending in -maintenance or -dead-letters`,
    );
  }
  if (location !== undefined && !isLocation(location)) {
    throw new UsageError(`--database-location ${location}: one of ${LOCATIONS.join(", ")}`);
  }
  if (jurisdiction !== undefined && !isJurisdiction(jurisdiction)) {
    throw new UsageError(`--jurisdiction ${jurisdiction}: one of ${JURISDICTIONS.join(", ")}`);
  }
  if (location !== undefined && jurisdiction !== undefined) {
    throw new UsageError("--jurisdiction already determines the location: omit --database-location");
  }
  const { databases } = values;
  if (databases !== undefined && !(/^[1-9]\d?$/.test(databases) && Number(databases) <= DATABASES_MAX)) {
    throw new UsageError(`--databases ${databases}: a number from 1 to ${DATABASES_MAX}`);
  }
  for (const host of [domain, mediaDomain]) {
    if (host !== undefined && !HOST.test(host))
      throw new UsageError(`${host} is not a host name such as crier.example.com`);
  }
  const { "account-plan": accountPlan } = values;
  if (accountPlan !== undefined && !isAccountPlan(accountPlan)) {
    throw new UsageError(`--account-plan ${accountPlan}: free or paid`);
  }
  return {
    help: values.help,
    plan: values.plan,
    toDo: values["to-do"],
    name,
    location,
    jurisdiction,
    databases: databases === undefined ? undefined : Number(databases),
    domain,
    mediaDomain,
    accountPlan,
    media: values.media,
    images: values.images,
    settings: Object.fromEntries(values.set.map(readSetting)),
    secretsFile: values.secrets,
  };
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      allowNegative: true,
      options: {
        help: { type: "boolean", short: "h", default: false },
        plan: { type: "boolean", default: false },
        "to-do": { type: "boolean", default: false },
        name: { type: "string" },
        "database-location": { type: "string" },
        jurisdiction: { type: "string" },
        databases: { type: "string" },
        domain: { type: "string" },
        "media-domain": { type: "string" },
        "account-plan": { type: "string" },
        media: { type: "boolean" },
        images: { type: "boolean" },
        set: { type: "string", multiple: true, default: [] },
        secrets: { type: "string" },
      },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function readSetting(text: string): [string, string] {
  const separatorIndex = text.indexOf("=");
  const name = separatorIndex === -1 ? text : text.slice(0, separatorIndex);
  // The value is not printed: it may be a secret that does not belong here.
  if (SECRETS.includes(name) || SECRET.test(name)) {
    throw new UsageError(`${name} is a secret, and other users can see arguments. Use npx wrangler secret put ${name}`);
  }
  if (SET_BY_DEPLOY.includes(name)) throw new UsageError(`${name} is set automatically by every deploy`);
  if (!SETTINGS.some((setting) => setting === name) && !APP_SETTING.test(name)) {
    throw new UsageError(`${name} is not a setting; docs/configuration.md lists the settings`);
  }
  if (separatorIndex === -1) throw new UsageError(`--set ${name}=VALUE`);
  return [name, text.slice(separatorIndex + 1)];
}
