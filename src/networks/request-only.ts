/** Platforms that cannot be connected: a workspace can only register its interest. */
export const REQUEST_ONLY: readonly string[] = ["reddit", "discord", "snapchat", "wordpress"];
