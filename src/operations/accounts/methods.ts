import type { methods as contract } from "../../contract/accounts.ts";
import { ok, type Run } from "../run.ts";

export const methods: Run<typeof contract> = async ({ settings }) => {
  const { idp, baseUrl } = settings;
  const label = (name: string) => name.charAt(0).toUpperCase() + name.slice(1);
  const providers =
    idp === null ? [] : [{ id: idp.name, name: label(idp.name), start_url: `${baseUrl}/v1/oauth/${idp.name}/start` }];
  return ok({ password: true, providers });
};
