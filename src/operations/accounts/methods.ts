import type { methods as contract } from "../../contract/accounts.ts";
import { hasUsers } from "../../store/accounts/sign-up.ts";
import { ok, type Run } from "../run.ts";

export const methods: Run<typeof contract> = async ({ accounts, settings }) => {
  const { idp, baseUrl } = settings;
  const label = (name: string) => name.charAt(0).toUpperCase() + name.slice(1);
  const providers =
    idp === null ? [] : [{ id: idp.name, name: label(idp.name), start_url: `${baseUrl}/v1/oauth/${idp.name}/start` }];
  const isOpen = settings.signUp === "open" || !(await hasUsers(accounts));
  return ok({ password: true, sign_up: isOpen ? "open" : "invite", providers });
};
