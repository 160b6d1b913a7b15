// Settings of a workspace and of a person, one page for each section.
import type { ComponentType } from "react";
import { Page } from "../ui/page.tsx";
import { SubNav } from "../ui/sub-nav.tsx";
import { AccountPart } from "./settings/account.tsx";
import { Agents } from "./settings/agents.tsx";
import { Audit } from "./settings/audit.tsx";
import { Keys } from "./settings/keys.tsx";
import { Members } from "./settings/members.tsx";
import { Notifications } from "./settings/notifications.tsx";
import { Webhooks } from "./settings/webhooks.tsx";
import { WorkspacePart } from "./settings/workspace.tsx";

const PARTS: { part: string; name: string; show: ComponentType }[] = [
  { part: "workspace", name: "Workspace", show: WorkspacePart },
  { part: "members", name: "Members", show: Members },
  { part: "keys", name: "Keys", show: Keys },
  { part: "webhooks", name: "Webhooks", show: Webhooks },
  { part: "agents", name: "Apps", show: Agents },
  { part: "audit", name: "Audit log", show: Audit },
  { part: "notifications", name: "Notifications", show: Notifications },
  { part: "account", name: "Account", show: AccountPart },
];

export function Settings({ part }: { part: string }) {
  const currentTab = PARTS.find((tab) => tab.part === part);
  const Show = currentTab?.show;
  return (
    <Page title={currentTab?.name ?? "Settings"}>
      <SubNav label="Settings" pages={PARTS.map((tab) => ({ href: `/settings/${tab.part}`, name: tab.name }))} />
      {Show === undefined ? <p>This settings page doesn't exist.</p> : <Show />}
    </Page>
  );
}
