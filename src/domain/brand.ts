// The brand of an agency on the pages that it sends to its clients.

/** The languages of these pages. */
export const PAGE_LANGUAGES = ["en"] as const;

export interface Brand {
  name: string | null;
  /** An image of the workspace. */
  logoMedia: string | null;
  /** `#rrggbb`. */
  accent: string | null;
  language: (typeof PAGE_LANGUAGES)[number];
}

/** The colour of text on `accent`, black or white: whichever has more contrast (WCAG 2.2, relative luminance). */
export function getTextColor(accent: string): "#000000" | "#ffffff" {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(accent.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  return (luminance + 0.05) / 0.05 > 1.05 / (luminance + 0.05) ? "#000000" : "#ffffff";
}
