// Settings of a workspace and of a person, one page for each section.
import "./settings/settings.css";
import type { ComponentType } from "react";
import { Page } from "../ui/page.tsx";
import { AutomationNav, SubNav } from "../ui/sub-nav.tsx";
import { AccountPart } from "./settings/account.tsx";
import { AccountKeys } from "./settings/account-keys.tsx";
import { Agents } from "./settings/agents.tsx";
import { Audit } from "./settings/audit.tsx";
import { Feeds } from "./settings/feeds.tsx";
import { Keys } from "./settings/keys.tsx";
import { Members } from "./settings/members.tsx";
import { Notifications } from "./settings/notifications.tsx";
import { Security } from "./settings/security.tsx";
import { Webhooks } from "./settings/webhooks.tsx";
import { WorkspacePart } from "./settings/workspace.tsx";

interface Part {
  part: string;
  name: string;
  show: ComponentType;
}

const PARTS: Part[] = [
  { part: "workspace", name: "Workspace", show: WorkspacePart },
  { part: "members", name: "Members", show: Members },
  { part: "audit", name: "Audit log", show: Audit },
  { part: "notifications", name: "Notifications", show: Notifications },
  { part: "account", name: "Account", show: AccountPart },
  { part: "account-keys", name: "Account keys", show: AccountKeys },
  { part: "security", name: "Security", show: Security },
];
/** Pages for programs. They stand in the menu under Automation. */
const FOR_PROGRAMS: Part[] = [
  { part: "feeds", name: "Feeds", show: Feeds },
  { part: "webhooks", name: "Webhooks", show: Webhooks },
  { part: "keys", name: "API keys", show: Keys },
  { part: "agents", name: "Connected apps", show: Agents },
];

export function Settings({ part }: { part: string }) {
  const forPrograms = FOR_PROGRAMS.find((tab) => tab.part === part);
  const currentTab = forPrograms ?? PARTS.find((tab) => tab.part === part);
  const Show = currentTab?.show;
  return (
    <Page title={currentTab?.name ?? "Settings"}>
      {forPrograms === undefined ? (
        <SubNav label="Settings" pages={PARTS.map((tab) => ({ href: `/settings/${tab.part}`, name: tab.name }))} />
      ) : (
        <AutomationNav />
      )}
      <div className="settings">{Show === undefined ? <p>This settings page doesn't exist.</p> : <Show />}</div>
    </Page>
  );
}
