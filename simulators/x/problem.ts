interface WrongParameter {
  parameters: Record<string, string[]>;
  message: string;
}

/** A refusal in the API's format: a problem of RFC 9457, with a list of errors if parameters are at fault. */
export class Problem extends Error {
  readonly status: number;
  readonly type: string;
  readonly title: string;
  readonly errors: WrongParameter[] | undefined;
  constructor(status: number, type: string, title: string, detail: string, errors?: WrongParameter[]) {
    super(detail);
    this.status = status;
    this.type = type;
    this.title = title;
    this.errors = errors;
  }
}

const TYPES = "https://api.x.com/2/problems/";
export const invalid = (detail: string) => new Problem(400, `${TYPES}invalid-request`, "Invalid Request", detail);
/**
 * The refusal of a query parameter: X's developer relations in twittercommunity.com/t/questions-about-error-response-structure/151746;
 * medialab/minet issue 445 quotes a whole answer. Both read 2026-11-26.
 */
export const invalidParameter = (name: string, value: string, message: string) =>
  new Problem(
    400,
    `${TYPES}invalid-request`,
    "Invalid Request",
    "One or more parameters to your request was invalid.",
    [{ parameters: { [name]: [value] }, message }],
  );
export const forbidden = (detail: string) => new Problem(403, "about:blank", "Forbidden", detail);
export const tooLarge = () =>
  new Problem(431, "about:blank", "Request Header Fields Too Large", "Request Header Fields Too Large");
export const unauthorized = () => new Problem(401, "about:blank", "Unauthorized", "Unauthorized");
export const notFound = (subject: string) =>
  new Problem(404, `${TYPES}resource-not-found`, "Not Found Error", `Could not find ${subject}.`);

export function toErrorResponse({ status, type, title, message: detail, errors }: Problem): Response {
  return Response.json(errors === undefined ? { title, detail, type, status } : { errors, title, detail, type }, {
    status,
  });
}
