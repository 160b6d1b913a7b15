/** The names of the files that the build writes (-> written.ts). */
export const WRITTEN_FILES = { openApi: "openapi.json", docs: "docs.html" } as const;
