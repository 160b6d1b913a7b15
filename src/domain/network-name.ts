/** Names that are not their ids with a capital letter. */
const OWN: Record<string, string> = { linkedin: "LinkedIn", tiktok: "TikTok", youtube: "YouTube" };

/** The name of a network as people write it. */
export const networkName = (platform: string): string =>
  OWN[platform] ?? platform.charAt(0).toUpperCase() + platform.slice(1);
