// The error formats of Google's API and its token endpoint.

/** `{"error":{"code","message","errors":[{"domain","reason","message"}]}}` */
export class ApiError extends Error {
  readonly status: number;
  readonly reason: string;
  readonly domain: string;
  readonly more: object;
  constructor(status: number, reason: string, message: string, domain = "youtube", extraFields: object = {}) {
    super(message);
    this.status = status;
    this.reason = reason;
    this.domain = domain;
    this.more = extraFields;
  }
  answer(): Response {
    const { status: code, reason, message, domain, more } = this;
    const body = { error: { code, message, errors: [{ message, domain, reason }], ...more } };
    return Response.json(body, { status: code });
  }
}

export const unauthorized = () =>
  new ApiError(401, "authError", "Invalid Credentials", "global", { status: "UNAUTHENTICATED" });
export const notScoped = () =>
  new ApiError(403, "insufficientPermissions", "Request had insufficient authentication scopes.", "global", {
    status: "PERMISSION_DENIED",
    details: [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "ACCESS_TOKEN_SCOPE_INSUFFICIENT" }],
  });
/** The text as others quote it: rasguanabana/ytfs issue 31, read 2026-11-26. The project's number is made up. */
export const apiOff = () => {
  const extendedHelp = "https://console.developers.google.com/apis/api/youtube.googleapis.com/overview?project=1";
  const message = `Access Not Configured. YouTube Data API has not been used in project 1 before or it is disabled. Enable it by visiting ${extendedHelp} then retry. If you enabled this API recently, wait a few minutes for the action to propagate to our systems and retry.`;
  return new ApiError(403, "accessNotConfigured", message, "usageLimits");
};
export const badRequest = (reason: string, message: string) => new ApiError(400, reason, message);

/** `{"error","error_description"}` */
export class OAuthError extends Error {
  readonly status: number;
  readonly error: string;
  constructor(status: number, error: string, description: string) {
    super(description);
    this.status = status;
    this.error = error;
  }
  answer(): Response {
    return Response.json({ error: this.error, error_description: this.message }, { status: this.status });
  }
}
