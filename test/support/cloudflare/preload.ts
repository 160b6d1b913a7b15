// Tests load this file before a script of the operator. It sends calls of other hosts to the stand-in, and calls of networks to the
// simulators if there are any.
const { CLOUDFLARE_API_BASE_URL: standIn = "", SIMULATORS_URL: simulators } = process.env;
const NETWORKS: Record<string, string> = {
  "api.x.com": "x",
  "oauth2.googleapis.com": "youtube",
  "www.linkedin.com": "linkedin",
  "open.tiktokapis.com": "tiktok",
  "graph.facebook.com": "facebook",
  "graph.threads.net": "threads",
};
const ask = globalThis.fetch;
globalThis.fetch = (input, init) => {
  const url = new URL(input instanceof Request ? input.url : input);
  if (url.hostname === "127.0.0.1") return ask(input, init);
  const network = simulators === undefined ? undefined : NETWORKS[url.hostname];
  if (network !== undefined) return ask(`${simulators}/${network}${url.pathname}${url.search}`, init);
  return ask(`${standIn}/dev/${url.host}${url.pathname}`, init);
};
