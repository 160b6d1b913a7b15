// The members of the workspace, and the people invited to it.
import { useQueryClient } from "@tanstack/react-query";
import { type RefObject, useRef } from "react";
import type { Answer } from "../../../client/client.ts";
import { Refusal } from "../../../client/errors.ts";
import { ROLES, type Role } from "../../../domain/roles.ts";
import { useAct, useRead } from "../../reads.ts";
import { useSession } from "../../session.tsx";
import { ShownError } from "../../shown-error.ts";
import { Avatar } from "../../ui/channel.tsx";
import { Confirm } from "../../ui/confirm.tsx";
import { Instant } from "../../ui/marks.tsx";
import { Menu } from "../../ui/menu.tsx";
import { Found, Refused } from "../../ui/states.tsx";
import { useSay } from "../../ui/toasts.tsx";
import { ROLE_NAMES } from "../../words/states.ts";
import { Invite } from "./invite.tsx";

type Listed = Answer<"members.list">;

export function Members() {
  const { workspace, whyNot } = useSession();
  const reason = whyNot("manage_members");
  const members = useRead(
    ["members"],
    async (client, signal) =>
      (await client.call("members.list", { params: { id: workspace.id }, query: { limit: "200" }, signal })).body,
  );
  return (
    <div className="stack">
      <section className="card" aria-label="Members">
        <Found query={members} what="The members">
          {({ members, invitations }) => (
            <ul className="rows">
              {members.map((member) => (
                <li key={member.id}>
                  <Member member={member} why={reason} />
                </li>
              ))}
              {invitations.map((invitation) => (
                <li key={invitation.id}>
                  <Invited invitation={invitation} why={reason} />
                </li>
              ))}
            </ul>
          )}
        </Found>
      </section>
      {!members.isPending && <Invite why={reason} />}
    </div>
  );
}

function Member({ member: { id, email, name, role }, why }: { member: Listed["members"][number]; why: string | null }) {
  const { workspace, me } = useSession();
  const queries = useQueryClient();
  const say = useSay();
  const asking = useRef<HTMLDialogElement>(null);
  const resetting = useRef<HTMLDialogElement>(null);
  const params = { id: workspace.id, user: id };
  const change = useAct(
    async (client, role: Role) => (await client.call("members.change-role", { params, body: { role } })).body,
    ["members"],
  );
  const remove = useAct(async (client, _: null) => (await client.call("members.remove", { params })).body, ["members"]);
  const isMe = id === me.user.id;
  const readMe = () => void queries.invalidateQueries({ queryKey: ["me"] });
  /** Reports a change, also that the person may still have a copy of a key of the workspace. */
  function report(words: string, answer: { key_seen?: boolean } | undefined) {
    say(answer?.key_seen === true ? `${words}. They have seen a key of this workspace, so replace your keys.` : words);
    if (isMe) readMe();
  }
  return (
    <div className="stack tight">
      <div className="row apart">
        <span className="person">
          <Avatar name={name ?? email} />
          <span className="who">
            <span dir="auto">{name ?? email}</span>
            <small>
              {email}
              {isMe && " (you)"}
            </small>
          </span>
        </span>
        <span className="row">
          <select
            aria-label={`Role of ${email}`}
            value={role}
            disabled={why !== null || change.isPending}
            onChange={({ target }) => {
              const chosen = ROLES.find((roleOption) => roleOption === target.value) ?? role;
              change.mutate(chosen, {
                onSuccess: (answer) => report(`${email} is now ${ROLE_NAMES[chosen].toLowerCase()}`, answer),
              });
            }}
          >
            {ROLES.map((roleOption) => (
              <option key={roleOption} value={roleOption}>
                {ROLE_NAMES[roleOption]}
              </option>
            ))}
          </select>
          <Menu
            label={`More for ${email}`}
            entries={[
              ...(isMe
                ? []
                : [
                    {
                      name: "Reset second factor",
                      icon: "key",
                      why,
                      act: () => resetting.current?.showModal(),
                    } as const,
                  ]),
              {
                name: isMe ? "Leave workspace" : "Remove",
                icon: "trash",
                isDanger: true,
                why: isMe ? null : why,
                act: () => asking.current?.showModal(),
              },
            ]}
          />
        </span>
      </div>
      <Refused error={change.error} />
      {!isMe && <ResetFactor dialog={resetting} params={params} email={email} />}
      <Confirm
        dialog={asking}
        question={isMe ? `Leave ${workspace.name}?` : `Remove ${email}?`}
        yes={isMe ? "Leave workspace" : "Remove member"}
        no={isMe ? "Stay" : "Keep member"}
        act={remove}
        onDone={(answer) => (isMe ? readMe() : report(`${email} removed`, answer))}
      >
        {isMe ? "You" : "They"} lose access to {workspace.name}, and need a new invitation to come back. Scheduled posts
        stay scheduled.
      </Confirm>
    </div>
  );
}

/** The question before the factors of a member who has lost them are removed. */
function ResetFactor({
  dialog,
  params,
  email,
}: {
  dialog: RefObject<HTMLDialogElement | null>;
  params: { id: string; user: string };
  email: string;
}) {
  const say = useSay();
  const reset = useAct(
    async (client, _: null) => {
      try {
        return (await client.call("members.reset-factors", { params })).body;
      } catch (error) {
        const isMissing = error instanceof Refusal && error.code === "not_found";
        throw isMissing ? new ShownError("This member has no second factor.") : error;
      }
    },
    ["members"],
  );
  return (
    <Confirm
      dialog={dialog}
      question={`Reset the second factor of ${email}?`}
      yes="Reset factor"
      act={reset}
      onDone={() => say(`${email} can sign in with their password and set up a new factor`)}
    >
      Only do this after talking to them. Their factor, recovery codes, sessions and apps are removed, and they sign in
      with their password alone. They get an email.
    </Confirm>
  );
}

function Invited({
  invitation: { id, email, role, expires_at },
  why,
}: {
  invitation: Listed["invitations"][number];
  why: string | null;
}) {
  const { workspace } = useSession();
  const say = useSay();
  const withdraw = useAct(
    async (client, _: null) =>
      client.call("members.withdraw-invitation", { params: { id: workspace.id, invitation: id } }),
    ["members"],
  );
  return (
    <div className="stack tight">
      <div className="row apart">
        <span className="person">
          <Avatar name={email} />
          <span className="who">
            {email}
            <small>
              Invited as {ROLE_NAMES[role].toLowerCase()}, until <Instant at={expires_at} />
            </small>
          </span>
        </span>
        <button
          type="button"
          disabled={why !== null || withdraw.isPending}
          onClick={() => withdraw.mutate(null, { onSuccess: () => say("Invitation withdrawn") })}
        >
          Withdraw<span className="visually-hidden"> the invitation of {email}</span>
        </button>
      </div>
      <Refused error={withdraw.error} />
    </div>
  );
}
