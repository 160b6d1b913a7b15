// The API's format for errors.

export class ApiError extends Error {
  readonly status: number;
  readonly code: number;
  readonly detail: string | undefined;
  constructor(status: number, code: number, message: string, detail?: string) {
    super(message);
    this.detail = detail;
    this.status = status;
    this.code = code;
  }
}

/** The answer for an error. Rethrows errors that are not the network's. */
export function toErrorResponse(error: unknown): Response {
  if (!(error instanceof ApiError)) throw error;
  const headers = error.status === 429 ? { "x-ratelimit-reset": "60" } : undefined;
  const { code, message, detail: message_detail, status } = error;
  return Response.json({ code, message, message_detail }, { status, headers });
}
