// Takes the place of polyfills in the worker's bundle (wrangler.toml).
export {};
