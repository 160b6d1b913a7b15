// The way to the first live post, for a new workspace.
import { useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { useAct, useChannels, useRead } from "../reads.ts";
import { useSession } from "../session.tsx";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icons.tsx";
import { Refused } from "../ui/states.tsx";
import { useSay } from "../ui/toasts.tsx";
import { findBrowserZone, isSameZone } from "../ui/zone-field.tsx";
import { formatZone } from "../words/dates.ts";

const isUtc = (zone: string) => /^(Etc\/)?(UTC|GMT)$/.test(zone);

/** `hasPost`: whether the workspace has a post or a draft. */
export function Checklist({ hasPost }: { hasPost: boolean }) {
  const { workspace, whyNot } = useSession();
  const channels = useChannels();
  const members = useRead(["members", "home"], async (client, signal) => {
    const input = { params: { id: workspace.id }, query: { limit: "2" }, signal };
    const { body } = await client.call("members.list", input);
    return body.members.length + body.invitations.length;
  });
  const isZoneSet = !isUtc(workspace.timezone) || isSameZone(workspace.timezone, findBrowserZone());
  const steps: Step[] = [
    {
      name: "Connect an account",
      note: "Crier posts to ten networks.",
      isDone: (channels.data ?? []).length > 0,
      action: whyNot("manage_channels") === null && <StepLink href="/channels" name="Connect" />,
    },
    {
      name: "Set the time zone",
      note: `Times are in ${formatZone(workspace.timezone)} time.`,
      isDone: isZoneSet,
      action: whyNot("manage_workspace") === null && <SetZone />,
    },
    {
      name: "Write your first post",
      note: "Write once, and adjust it for each network.",
      isDone: hasPost,
      action: whyNot("draft") === null && <StepLink href="/compose" name="Write" />,
    },
    {
      name: "See it live",
      note: "Post it now, or pick a time. This page tells you when it is live.",
      isDone: false,
      action: hasPost && <StepLink href="/posts" name="See your posts" />,
    },
    {
      name: "Invite a colleague",
      note: "They can write, approve or only look on.",
      isDone: (members.data ?? 1) > 1,
      action: whyNot("manage_members") === null && <StepLink href="/settings/members" name="Invite" />,
    },
  ];
  const next = steps.find(({ isDone }) => !isDone);
  return (
    <section className="card checklist" aria-label="First steps">
      <div className="row apart">
        <h2>Your first post in a few minutes</h2>
        <span className="soft numbers">
          {steps.filter(({ isDone }) => isDone).length} of {steps.length} done
        </span>
      </div>
      <ol className="list">
        {steps.map(({ name, note, isDone, action }) => (
          <li key={name} className="list-row" data-done={isDone} data-next={name === next?.name}>
            <span className="step-mark">
              {isDone && <Icon name="tick" />}
              <span className="visually-hidden">{isDone ? "Done:" : "To do:"}</span>
            </span>
            <span className="list-text">
              <strong>{name}</strong>
              <small className="soft">{note}</small>
            </span>
            {!isDone && action}
          </li>
        ))}
      </ol>
    </section>
  );
}

interface Step {
  name: string;
  note: string;
  isDone: boolean;
  action: ReactNode;
}

const StepLink = ({ href, name }: { href: string; name: string }) => (
  <Link href={href} className="button">
    {name}
  </Link>
);

/** Takes over the browser's time zone with one press. */
function SetZone() {
  const { workspace } = useSession();
  const queries = useQueryClient();
  const say = useSay();
  const zone = findBrowserZone();
  const set = useAct(async (client, _: null) => {
    await client.call("workspaces.set-timezone", { body: { timezone: zone } });
    await queries.invalidateQueries({ queryKey: ["me"] });
  }, []);
  if (isSameZone(zone, workspace.timezone)) return <StepLink href="/settings/workspace" name="Set" />;
  return (
    <span className="row end">
      <Refused error={set.error} />
      <Link href="/settings/workspace" className="button quiet">
        Another
      </Link>
      <Button
        isBusy={set.isPending}
        onClick={() => set.mutate(null, { onSuccess: () => say(`Times are in ${formatZone(zone)} time now`) })}
      >
        Use {formatZone(zone)} time
      </Button>
    </span>
  );
}
