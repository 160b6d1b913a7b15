// The tables as types, by subject. The migrations create them; test/worker-api/store/schema.test.ts keeps both in
// agreement.
export * from "./schema/account-keys.ts";
export * from "./schema/accounts.ts";
export * from "./schema/channels.ts";
export * from "./schema/factors.ts";
export * from "./schema/library.ts";
export * from "./schema/media.ts";
export * from "./schema/metrics.ts";
export * from "./schema/moves.ts";
export * from "./schema/notifications.ts";
export * from "./schema/oauth.ts";
export * from "./schema/posts.ts";
export * from "./schema/webhooks.ts";
