// The theme that a person chose. It is kept in a cookie, so that the Worker can name it in the page: there is no flash of the
// other theme, and the pages before the sign-in have it too.

export const THEMES = ["light", "dark", "system"] as const;
export type Theme = (typeof THEMES)[number];

const YEAR_S = 365 * 24 * 3_600;
const isTheme = (text: string | undefined): text is "light" | "dark" => text === "light" || text === "dark";

export function getTheme(): Theme {
  const { theme } = document.documentElement.dataset;
  return isTheme(theme) ? theme : "system";
}

export function setTheme(theme: Theme): void {
  const { dataset } = document.documentElement;
  if (theme === "system") delete dataset.theme;
  else dataset.theme = theme;
  // biome-ignore lint/suspicious/noDocumentCookie: Firefox and Safari have no other way that is synchronous.
  document.cookie = `theme=${theme}; path=/; max-age=${theme === "system" ? 0 : YEAR_S}; samesite=lax`;
}
