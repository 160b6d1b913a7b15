// What a person needs to know a session by: the program and the system, not the whole of what a browser sends.

const NAME_LENGTH_MAX = 60;

/** The first that is named wins: most browsers also name the ones that they descend from. */
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

/** A `User-Agent` in short, such as "Firefox on Linux" or "curl/8.5.0"; null when it says nothing. */
export function shortUserAgent(header: string | null): string | null {
  if (header === null) return null;
  const nameIn = (known: [RegExp, string][]) => known.find(([sign]) => sign.test(header))?.[1];
  const [browser, system] = [nameIn(BROWSERS), nameIn(SYSTEMS)];
  if (browser !== undefined) return system === undefined ? browser : `${browser} on ${system}`;
  return /^[\w.-]+(\/[\w.-]+)?/.exec(header.trim())?.[0].slice(0, NAME_LENGTH_MAX) ?? null;
}
