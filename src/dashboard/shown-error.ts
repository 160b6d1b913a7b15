/** An error whose message is written for the person at the page. */
export class ShownError extends Error {
  override name = "ShownError";
}
