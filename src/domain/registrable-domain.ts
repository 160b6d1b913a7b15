// Finds the registrable part of a host name. Calls to a host are counted by it, so further names below one domain give no
// further calls. The rule is short on purpose: if it does not know a suffix, it counts several domains together.

/** Labels below a country's domain under which many parties register: `example.co.uk`. */
const SHARED_LABELS: ReadonlySet<string> = new Set(
  "ac co com edu go gob gov gouv ltd me mil ne net nom or org plc sch web".split(" "),
);

/** Below these, each customer of a provider has separate names, so the whole host name is counted. */
const PROVIDERS = [
  "amazonaws.com",
  "azurewebsites.net",
  "backblazeb2.com",
  "blob.core.windows.net",
  "cloudflarestorage.com",
  "cloudfront.net",
  "digitaloceanspaces.com",
  "firebaseapp.com",
  "fly.dev",
  "github.io",
  "googleapis.com",
  "herokuapp.com",
  "netlify.app",
  "ngrok.app",
  "ngrok-free.app",
  "onrender.com",
  "pages.dev",
  "r2.dev",
  "run.app",
  "supabase.co",
  "trycloudflare.com",
  "vercel.app",
  "web.app",
  "workers.dev",
];

/** `host`: as in a URL. An IP address stays whole. */
export function getRegistrableDomain(host: string): string {
  const name = host.toLowerCase().replace(/\.$/, "");
  if (/^\[|^[\d.]+$/.test(name) || PROVIDERS.some((provider) => name.endsWith(`.${provider}`))) return name;
  const labels = name.split(".");
  const [country = "", shared = ""] = labels.toReversed();
  return labels.slice(country.length === 2 && SHARED_LABELS.has(shared) ? -3 : -2).join(".");
}
