// How the networks look: the colour of each mark, on a white ground in both themes.

export const NETWORK_COLORS: Record<string, string> = {
  bluesky: "#0a7aff",
  facebook: "#0866ff",
  instagram: "#d62976",
  linkedin: "#0a66c2",
  pinterest: "#d5001f",
  telegram: "#1c8fc9",
  threads: "#000000",
  tiktok: "#111111",
  x: "#000000",
  youtube: "#e3002b",
};

export const NETWORK_STYLE = Object.entries(NETWORK_COLORS)
  .map(([platform, color]) => `[data-network="${platform}"] { --network: ${color}; }`)
  .join("\n");

/** The accounts in the picture of the product. `verifiedAt`: null while the post is still to come. */
export const SAMPLE_ACCOUNTS: { platform: string; handle: string; verifiedAt: string | null }[] = [
  { platform: "instagram", handle: "@northwind", verifiedAt: "09:30" },
  { platform: "linkedin", handle: "Northwind Coffee", verifiedAt: "09:30" },
  { platform: "x", handle: "@northwind", verifiedAt: "09:31" },
  { platform: "youtube", handle: "Northwind", verifiedAt: null },
];
