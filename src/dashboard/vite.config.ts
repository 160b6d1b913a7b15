import { join } from "node:path";
import react from "@vitejs/plugin-react";
import { createLogger, defineConfig } from "vite";
import { identity } from "./identity-plugin.ts";

/** The gallery of components is for local runs only. */
const hasGallery = process.env.CRIER_GALLERY === "1";

const toPath = (page: string) => join(import.meta.dirname, page);

const logger = createLogger("warn");
const { warnOnce } = logger;
// The typefaces keep their addresses: the identity plugin emits them under these names.
logger.warnOnce = (message, options) => {
  if (!message.includes("didn't resolve at build time")) warnOnce(message, options);
};

export default defineConfig({
  customLogger: logger,
  root: import.meta.dirname,
  plugins: [react(), identity()],
  build: {
    target: "es2023",
    // Browsers that know `light-dark()` and popovers, so that neither is rewritten.
    cssTarget: ["chrome125", "firefox129", "safari17.5"],
    // The supported browsers preload modules natively.
    modulePreload: { polyfill: false },
    // The page's policy allows no `data:` addresses.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 600,
    rolldownOptions: { input: hasGallery ? ["index.html", "gallery.html"].map(toPath) : toPath("index.html") },
  },
});
