// An error as the network answers it.

export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly more: object;
  constructor(status: number, code: string, message: string, more: object = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.more = more;
  }
  answer(): Response {
    const { status, code, message, more } = this;
    return Response.json({ status, code, message, ...more }, { status });
  }
}

/** A field of the request that does not hold what it should. */
export const invalid = (field: string, message: string, code = "INVALID_VALUE_FOR_FIELD", status = 400) =>
  new ApiError(status, code, message, {
    errorDetailType: "com.linkedin.common.error.BadRequest",
    errorDetails: { inputErrors: [{ code, description: message, input: { inputPath: { fieldPath: field } } }] },
  });

export const denied = (what: string) => new ApiError(403, "ACCESS_DENIED", `Not enough permissions to access: ${what}`);
