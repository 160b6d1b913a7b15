/** Platforms that cannot be connected: a workspace can only record that it wants them. */
export const REQUEST_ONLY: readonly string[] = ["reddit", "discord", "snapchat", "wordpress"];
