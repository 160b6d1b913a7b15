// Replaces polyfills in the worker's bundle (wrangler.toml).
export {};
