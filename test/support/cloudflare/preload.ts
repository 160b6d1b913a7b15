// Loaded before a script of the operator in tests: whatever has no place on this machine is asked of the stand-in, as DNS would
// lead it, and networks of the simulators, where there are some.
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
