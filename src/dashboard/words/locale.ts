// The reader's conventions for dates and numbers.

/**
 * The texts are English, so dates and numbers are English, too, in the order and with the clock of the reader's region:
 * "Fri, Nov 27, 10:00 AM" in the United States and "Fri, 27 Nov, 10:00" in Germany.
 */
export const getReaderLocale = (): string => {
  readerLocale ??= findReaderLocale();
  return readerLocale;
};
let readerLocale: string | undefined;

function findReaderLocale(): string {
  try {
    const { language, region } = new Intl.Locale(navigator.language).maximize();
    return language === "en" || region === undefined ? navigator.language : `en-${region}`;
  } catch {
    return "en-US";
  }
}
