// The signed-in user's own data: name and email address, and its deletion.
import { useQueryClient } from "@tanstack/react-query";
import { useSendsMail } from "../../sends-mail.ts";
import { useSession } from "../../session.tsx";
import { ActForm } from "../../ui/act-form.tsx";
import { Card } from "../../ui/card.tsx";
import { Field, PasswordField } from "../../ui/field.tsx";
import { Pill } from "../../ui/marks.tsx";
import { EraseAccount } from "./erase-account.tsx";

export function AccountPart() {
  const { me } = useSession();
  const queries = useQueryClient();
  return (
    <div className="stack">
      <Card title="Name" lead="Colleagues see it beside your posts and comments.">
        <ActForm
          act={(client, form) => client.call("accounts.rename", { body: { name: form("name").trim() || null } })}
          done="Name saved"
          button="Save"
          of="name"
          why={null}
          onDone={() => void queries.invalidateQueries({ queryKey: ["me"] })}
        >
          <Field label="Your name" name="name" defaultValue={me.user.name ?? ""} autoComplete="name" />
        </ActForm>
      </Card>
      <EmailCard />
      <h2 className="zone-title">Danger zone</h2>
      <EraseAccount />
    </div>
  );
}

function EmailCard() {
  const { me } = useSession();
  const sendsMail = useSendsMail();
  const { email, email_verified: isVerified } = me.user;
  return (
    <Card title="Email" lead="You sign in with it, and notifications go there.">
      <p className="row">
        <strong>{email}</strong>
        {isVerified ? <Pill tone="live">Confirmed</Pill> : <Pill tone="waiting">Not confirmed yet</Pill>}
      </p>
      {!sendsMail && <p className="note">Email isn't set up here, so an address can't be confirmed or changed.</p>}
      {sendsMail && !isVerified && (
        <ActForm
          act={(client) => client.call("accounts.send-verification")}
          done="Check your inbox"
          button="Send confirmation"
          why={null}
        />
      )}
      {sendsMail && (
        <ActForm
          act={(client, form) =>
            client.call("accounts.change-email", { body: { email: form("email"), password: form("password") } })
          }
          done="Check your new inbox: your address changes when you open the link."
          button="Change address"
          why={null}
        >
          <Field label="New address" name="email" type="email" autoComplete="email" required />
          <PasswordField label="Your password" name="password" />
        </ActForm>
      )}
    </Card>
  );
}
