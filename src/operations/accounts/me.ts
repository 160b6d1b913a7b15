import type { me as contract } from "../../contract/accounts.ts";
import { signedIn } from "../caller.ts";
import { ok, type Run } from "../run.ts";
import { meView } from "./views.ts";

export const me: Run<typeof contract> = async (ctx, caller) => ok(await meView(ctx, signedIn(caller).userId));
