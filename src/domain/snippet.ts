export const SNIPPET_KINDS = ["text", "hashtags"] as const;
export type SnippetKind = (typeof SNIPPET_KINDS)[number];
