// The brand of a workspace on the pages that its clients see.
import { describe, expect, it } from "vitest";
import { open } from "../support/oauth.ts";
import { type Account, call, signUp, unique, uploadImage } from "../support/world.ts";
import { Browser, createLink } from "./connecting.ts";
import { approve, createReviewPath, requestApproval } from "./reviewed-post.ts";

const setBrand = ({ workspace, session }: Account, brand: object | null) =>
  call("PATCH", `/v1/workspaces/${workspace}`, { token: session, body: { brand } });

const BRAND = { name: "Ada <& Co.", accent: "#112233" };
const SHOWN = ["Ada &lt;&amp; Co.", "background: #112233"];
const expectBranded = (html: string) => {
  for (const shown of SHOWN) expect(html).toContain(shown);
};

describe("the brand of a workspace", () => {
  it("is on a review link before and after the decision", async () => {
    const setup = await requestApproval();
    expect(await setBrand(setup.owner, BRAND)).toMatchObject({
      status: 200,
      body: { brand: { ...BRAND, logo_media: null, language: "en" } },
    });
    const path = await createReviewPath(setup);
    expectBranded(await (await open(path, null)).text());
    expectBranded(await (await approve(path)).text());
  });

  it("is on a portal unless the portal has a brand of its own", async () => {
    const { owner, channel } = await requestApproval();
    await setBrand(owner, BRAND);
    const createPortal = async (brand: object | null) => {
      const body = { name: "Northwind", channels: [channel.id], brand };
      const { url } = (await call<{ url: string }>("POST", "/v1/portals", { token: owner.key, body })).body;
      return (await open(new URL(url).pathname, null)).text();
    };
    expectBranded(await createPortal(null));
    const own = await createPortal({ name: "Grace Ltd." });
    expect(own).toContain("Grace Ltd.");
    expect(own).not.toContain("Ada &lt;&amp; Co.");
  });

  it("is on a report", async () => {
    const account = await signUp();
    await setBrand(account, BRAND);
    const body = { from: new Date().toISOString().slice(0, 10) };
    const report = await call<{ url: string }>("POST", "/v1/reports", { token: account.key, body });
    expectBranded(await (await open(new URL(report.body.url).pathname, null)).text());
  });

  it("is on each page of a connect link: the invitation, the choice, the success and the failure", async () => {
    const account = await signUp();
    await setBrand(account, BRAND);
    const link = await createLink(account);
    expectBranded((await new Browser().visit(link)).text);
    const denied = await new Browser().consent(link, { decision: "deny" });
    expect(denied.status).toBe(422);
    expectBranded(denied.text);
    const done = await new Browser().connect(link, { decision: "allow", account: unique("ada") });
    expectBranded(done.choicePage.text);
    expectBranded(done.text);
    expect(done.text).toContain("Ada &lt;&amp; Co. can now post to this account on Pinterest");
  });

  it("keeps its logo from being deleted until the brand has another one or none", async () => {
    const account = await signUp();
    const { id: logo } = await uploadImage(account);
    expect((await setBrand(account, { logo_media: logo })).status).toBe(200);
    const remove = () => call("DELETE", `/v1/media/${logo}`, { token: account.key });
    expect(await remove()).toMatchObject({
      status: 409,
      body: { error: "media_in_use", message: "The file is the logo of this workspace." },
    });
    expect(await setBrand(account, null)).toMatchObject({ status: 200, body: { brand: null } });
    expect((await remove()).status).toBe(204);
  });

  it("is refused with an unknown logo, and recorded in the audit log", async () => {
    const account = await signUp();
    expect(await setBrand(account, { logo_media: "med_x" })).toMatchObject({
      status: 422,
      body: { error: "unknown_media", field: "/brand/logo_media" },
    });
    await setBrand(account, BRAND);
    const { body } = await call<{ audit: { details: object }[] }>("GET", "/v1/audit?act=workspace.changed", {
      token: account.session,
      headers: { "x-workspace": account.workspace },
    });
    expect(body.audit[0]?.details).toMatchObject({ brand: JSON.stringify(BRAND) });
  });
});
