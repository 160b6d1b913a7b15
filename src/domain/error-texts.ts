/**
 * The texts of an error and its causes, except those of Drizzle, which repeat the statement and its values: a post may
 * contain any words.
 */
export function errorTexts(error: unknown): string[] {
  const texts: string[] = [];
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (!cause.message.startsWith("Failed query:")) texts.push(cause.message);
  }
  return texts;
}
