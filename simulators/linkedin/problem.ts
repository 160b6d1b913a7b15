// An error in the network's format.
import type { Context } from "hono";
import type { SimulatorEnv } from "../simulator.ts";

/** A version lives a year: marketing/integrations/migrations, read 2026-11-25, gives 2026-11-16 as the end of 202511. */
const VERSIONS = { oldest: 202512, newest: 202610 };

export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly more: object;
  constructor(status: number, code: string, message: string, extraFields: object = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.more = extraFields;
  }
  answer(): Response {
    const { status, code, message, more } = this;
    return Response.json({ status, code, message, ...more }, { status });
  }
}

/** A request field with an invalid value. */
export const invalid = (field: string, message: string, code = "INVALID_VALUE_FOR_FIELD", status = 400) =>
  new ApiError(status, code, message, {
    errorDetailType: "com.linkedin.common.error.BadRequest",
    errorDetails: { inputErrors: [{ code, description: message, input: { inputPath: { fieldPath: field } } }] },
  });

export const denied = (resource: string) =>
  new ApiError(403, "ACCESS_DENIED", `Not enough permissions to access: ${resource}`);

export function checkVersion(c: Context<SimulatorEnv>): void {
  const version = c.req.header("linkedin-version");
  if (version === undefined) throw new ApiError(400, "VERSION_MISSING", "A version must be present");
  if (!/^\d{6}$/.test(version) || Number(version) < VERSIONS.oldest || Number(version) > VERSIONS.newest)
    throw new ApiError(426, "NONEXISTENT_VERSION", `Requested version ${version} is not active`);
  if (c.req.header("x-restli-protocol-version") !== "2.0.0")
    throw new ApiError(400, "INVALID_HEADER", "X-RestLi-Protocol-Version must be 2.0.0");
}

export function unauthorized(c: Context<SimulatorEnv>): ApiError {
  if (c.req.header("authorization") === undefined)
    return new ApiError(401, "EMPTY_ACCESS_TOKEN", "Empty oauth2 access token", { serviceErrorCode: 65604 });
  return new ApiError(401, "EXPIRED_ACCESS_TOKEN", "The token used in the request has expired", {
    serviceErrorCode: 65602,
  });
}

// The wording of jclusso/omniauth-linkedin-openid issue 6, read 2026-11-24.
export const notYetAccepted = () =>
  new ApiError(401, "REVOKED_ACCESS_TOKEN", "The token used in the request has been revoked by the user", {
    serviceErrorCode: 65601,
  });
