/** A refusal in the API's format: a problem of RFC 9457. */
export class Problem extends Error {
  readonly status: number;
  readonly type: string;
  readonly title: string;
  constructor(status: number, type: string, title: string, detail: string) {
    super(detail);
    this.status = status;
    this.type = type;
    this.title = title;
  }
}

const TYPES = "https://api.x.com/2/problems/";
export const invalid = (detail: string) => new Problem(400, `${TYPES}invalid-request`, "Invalid Request", detail);
export const forbidden = (detail: string) => new Problem(403, "about:blank", "Forbidden", detail);
export const tooLarge = () =>
  new Problem(431, "about:blank", "Request Header Fields Too Large", "Request Header Fields Too Large");
export const unauthorized = () => new Problem(401, "about:blank", "Unauthorized", "Unauthorized");
export const notFound = (subject: string) =>
  new Problem(404, `${TYPES}resource-not-found`, "Not Found Error", `Could not find ${subject}.`);

export function toErrorResponse({ status, type, title, message: detail }: Problem): Response {
  return Response.json({ title, detail, type, status }, { status });
}
