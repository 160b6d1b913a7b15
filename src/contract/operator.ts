// What the operators of a deployment may do with other people's accounts.
import * as z from "zod";
import { PLANS } from "../domain/plan.ts";
import { operation, plain } from "./operation.ts";
import { SAMPLE } from "./samples.ts";
import { about, id } from "./shapes.ts";

const plan = z.enum(Object.keys(PLANS));
const planStatus = z.enum(["active", "past_due", "cancelled"]);

export const setPlan = operation({
  ...plain,
  method: "PUT",
  path: "/v1/operator/plan",
  auth: "session",
  accountScopes: ["workspaces"],
  tag: "Usage",
  summary: "Set the plan of an account, as an operator of this deployment",
  description:
    "For people whose verified address is in the setting `OPERATORS`, and for their account keys. The plan applies to all " +
    "workspaces that the account owns, and to those that it creates later.",
  body: z.strictObject({
    email: z.string().max(254).meta(about("The address of the account.")),
    plan: plan.meta(about("The plan, which sets the limits in `GET /v1/usage`.")),
    plan_status: planStatus.optional().meta(about("Shown with the plan. Default: unchanged.")),
  }),
  result: z
    .object({ workspaces: z.array(z.object({ id, name: z.string(), plan: z.string(), plan_status: planStatus })) })
    .meta({
      id: "AccountPlan",
      examples: [
        { workspaces: [{ id: SAMPLE.workspace, name: "Analytical Engines", plan: "pro", plan_status: "active" }] },
      ],
    }),
  success: { 200: "The workspaces of the account, with their plan." },
  refusals: ["not_an_operator", "not_found"],
  examples: { "A paying customer": { email: "ada@example.com", plan: "pro", plan_status: "active" } },
});
