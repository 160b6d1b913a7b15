// Loaded before `npm run deploy` in tests: whatever has no place on this machine is asked of the stand-in, as DNS would lead it.
const standIn = process.env.CLOUDFLARE_API_BASE_URL ?? "";
const ask = globalThis.fetch;
globalThis.fetch = (input, init) => {
  const url = new URL(input instanceof Request ? input.url : input);
  return url.hostname === "127.0.0.1" ? ask(input, init) : ask(`${standIn}/dev/${url.host}${url.pathname}`, init);
};
