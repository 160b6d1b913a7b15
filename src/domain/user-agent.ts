// Shortens a user agent to the parts by which a person recognizes a session: the program and the operating system.

const NAME_LENGTH_MAX = 60;

/** The first match wins, because most browsers also name the browsers that they are derived from. */
const BROWSERS: [RegExp, string][] = [
  [/\bEdgA?\/|\bEdgiOS\//, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\bSamsungBrowser\//, "Samsung Internet"],
  [/\bFirefox\/|\bFxiOS\//, "Firefox"],
  [/\bChrome\/|\bCriOS\//, "Chrome"],
  [/\bVersion\/[\d.]+ .*\bSafari\//, "Safari"],
];
const SYSTEMS: [RegExp, string][] = [
  [/\bAndroid\b/, "Android"],
  [/\biPhone\b|\biPad\b/, "iOS"],
  [/\bWindows\b/, "Windows"],
  [/\bMac OS X\b/, "macOS"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bLinux\b/, "Linux"],
];

/** A `User-Agent` in short, such as "Firefox on Linux" or "curl/8.5.0"; null if it says nothing useful. */
export function shortUserAgent(header: string | null): string | null {
  if (header === null) return null;
  const nameIn = (patterns: [RegExp, string][]) => patterns.find(([sign]) => sign.test(header))?.[1];
  const [browser, system] = [nameIn(BROWSERS), nameIn(SYSTEMS)];
  if (browser !== undefined) return system === undefined ? browser : `${browser} on ${system}`;
  return /^[\w.-]+(\/[\w.-]+)?/.exec(header.trim())?.[0].slice(0, NAME_LENGTH_MAX) ?? null;
}
