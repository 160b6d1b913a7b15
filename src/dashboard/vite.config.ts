import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  build: {
    target: "es2023",
    // The supported browsers preload modules natively.
    modulePreload: { polyfill: false },
    // The page's policy allows no `data:` addresses.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 600,
  },
});
