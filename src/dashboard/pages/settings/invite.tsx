// Invites a person by email, or with a link to send to them.
import { useState } from "react";
import { ROLE_DEFAULT, ROLES, type Role } from "../../../domain/roles.ts";
import { useSendsMail } from "../../sends-mail.ts";
import { useSession } from "../../session.tsx";
import { ActForm } from "../../ui/act-form.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { useCopy } from "../../ui/copy.ts";
import { Field } from "../../ui/field.tsx";
import { ROLE_NAMES } from "../../words/states.ts";

const ROLE_NOTES: Record<Role, string> = {
  viewer: "sees everything, changes nothing",
  author: "writes drafts and asks for approval",
  publisher: "publishes and approves",
  owner: "also manages members, keys and settings",
};

export function Invite({ why }: { why: string | null }) {
  const { workspace } = useSession();
  const sendsMail = useSendsMail();
  const [isLink, setLink] = useState(false);
  const [invited, setInvited] = useState<{ email: string; url: string } | null>(null);
  const byLink = isLink || !sendsMail;
  return (
    <Card
      title="Invite someone"
      lead={
        sendsMail
          ? "They get an email with a link that works for seven days."
          : "Email isn't set up here, so you send them the link yourself. It works for seven days."
      }
    >
      <ActForm
        act={async (client, form) =>
          (
            await client.call("members.invite", {
              params: { id: workspace.id },
              body: { email: form("email"), role: ROLES.find((role) => role === form("role")), link: byLink },
            })
          ).body
        }
        changes={["members"]}
        done={byLink ? "Invitation created" : "Invitation sent"}
        button={byLink ? "Create a link" : "Invite"}
        why={why}
        onDone={({ invitation, url }) => setInvited(url === undefined ? null : { email: invitation.email, url })}
      >
        <Field label="Email" name="email" type="email" autoComplete="off" required />
        <label className="field">
          <span>Role</span>
          <select name="role" defaultValue={ROLE_DEFAULT}>
            {ROLES.map((role) => (
              <option key={role} value={role}>
                {ROLE_NAMES[role]}: {ROLE_NOTES[role]}
              </option>
            ))}
          </select>
        </label>
        {sendsMail && (
          <label className="choice">
            <input type="checkbox" checked={isLink} onChange={({ target }) => setLink(target.checked)} />
            Get a link to send myself
          </label>
        )}
      </ActForm>
      {invited !== null && <InvitationLink {...invited} />}
    </Card>
  );
}

function InvitationLink({ email, url }: { email: string; url: string }) {
  const copy = useCopy("Link");
  return (
    <div className="note stack tight" role="status">
      <label className="field">
        <span>Link for {email}</span>
        <input readOnly value={url} onFocus={({ target }) => target.select()} />
        <small>Copy it now: it is not shown again. Only {email} can use it.</small>
      </label>
      <div>
        <Button onClick={() => void copy(url)}>Copy link</Button>
      </div>
    </div>
  );
}
