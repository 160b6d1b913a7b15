// The tests that a mutation run of the domain asks.
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/unit/{domain,publisher,store}/**/*.test.ts"],
    setupFiles: ["test/support/after-each-test.ts"],
  },
});
