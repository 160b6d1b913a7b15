// Loaded before wrangler. When wrangler's local version of Cloudflare Images imports sharp, it gets a version that decodes HEIC.
import { registerHooks } from "node:module";

const STAND_IN = new URL("sharp-with-heic.ts", import.meta.url).href;

registerHooks({
  resolve(specifier, context, next) {
    const isAsked = specifier === "sharp" && context.parentURL?.includes("/node_modules/miniflare/");
    return isAsked ? { url: STAND_IN, shortCircuit: true } : next(specifier, context);
  },
});
