// Connecting with a token that was handed over. It never expires and is not renewed.
import * as z from "zod";
import type { Json } from "../../../../src/domain/json.ts";
import type { Connected, CredentialsRefused, NetworkIO } from "../../../../src/networks/network.ts";
import { readResult, retryableOr } from "../../../../src/networks/shared/http-call.ts";
import { call } from "./api.ts";
import { readRejection } from "./errors.ts";
import { Credential } from "./rule.ts";

const Me = z.object({ id: z.string(), name: z.string() });

export async function connect(input: Json, io: NetworkIO): Promise<Connected<Credential>> {
  const credential = Credential.parse(input);
  const answer = await call({ credential, io }, "GET", "/me");
  const me = readResult(answer, Me);
  if (me === undefined) {
    const refused: CredentialsRefused = {
      is: "credentials_refused",
      field: "/token",
      message: "Examplenet does not know this token.",
      hint: "Create one at https://example.net/settings.",
    };
    return retryableOr(answer, readRejection(answer, io.now()), refused, io.now());
  }
  const { id, name } = me;
  return {
    is: "connected",
    accountId: id,
    handle: name,
    name,
    avatarUrl: null,
    profileUrl: `https://example.net/@${name}`,
    credential,
    tokenExpiresAt: null,
  };
}
