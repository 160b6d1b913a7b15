// The tests that a mutation run asks.
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/unit/{domain,follow-up,operations,publisher,store,webhooks}/**/*.test.ts"],
    // It reads the sources, which the tool has changed.
    exclude: ["test/unit/store/largest-inputs.test.ts"],
    setupFiles: ["test/support/after-each-test.ts"],
  },
});
