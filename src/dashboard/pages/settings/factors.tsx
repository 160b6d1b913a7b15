// The second factors of the signed-in user: list, add, remove, recovery codes.
import { type RefObject, useRef, useState } from "react";
import type { Answer } from "../../../client/client.ts";
import { makeClient } from "../../api.ts";
import { lazyChunk } from "../../chunks.ts";
import { useAct, useRead } from "../../reads.ts";
import { ActForm } from "../../ui/act-form.tsx";
import { Card } from "../../ui/card.tsx";
import { useCopy } from "../../ui/copy.ts";
import { Field, PasswordField } from "../../ui/field.tsx";
import { Instant } from "../../ui/marks.tsx";
import { Found, Refused } from "../../ui/states.tsx";
import { useSay } from "../../ui/toasts.tsx";
import { AddPasskey } from "./add-passkey.tsx";

const QrCode = lazyChunk(async () => (await import("../../factor/qr-code.tsx")).QrCode);

type Factor = Answer<"factors.list">["factors"][number];
type Begun = Answer<"factors.add">;

export function Factors() {
  const [enrollment, setBegun] = useState<Begun | null>(null);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const factors = useRead(
    ["factors"],
    async (_, signal) => (await makeClient(null).call("factors.list", { signal })).body,
  );
  return (
    <Card title="Second factor" lead="Signing in then takes your password and an authenticator app or a passkey.">
      {codes !== null && <RecoveryCodes codes={codes} onDone={() => setCodes(null)} />}
      <Found query={factors} what="Your second factors">
        {({ factors, recovery_codes_left: codesLeft }) =>
          factors.length === 0 ? (
            <p className="soft">You have no second factor yet.</p>
          ) : (
            <>
              <ul className="rows">
                {factors.map((factor) => (
                  <li key={factor.id}>
                    <Row factor={factor} isLast={factors.length === 1} />
                  </li>
                ))}
              </ul>
              <p>{codesLeft === 1 ? "1 recovery code is" : `${codesLeft} recovery codes are`} left.</p>
              <ActForm
                act={async (_, form) =>
                  (
                    await makeClient(null).call("factors.renew-recovery-codes", {
                      body: { password: form("password") },
                    })
                  ).body.recovery_codes
                }
                changes={["factors"]}
                done="Your old recovery codes no longer work"
                button="Get new recovery codes"
                why={null}
                onDone={setCodes}
              >
                <PasswordField label="Your password" name="password" />
              </ActForm>
            </>
          )
        }
      </Found>
      {enrollment === null ? (
        <div className="pair">
          <AddApp onBegun={setBegun} />
          <AddPasskey onAdded={setCodes} />
        </div>
      ) : (
        <ConfirmApp
          begun={enrollment}
          onDone={(recoveryCodes) => {
            setBegun(null);
            setCodes(recoveryCodes);
          }}
          onCancel={() => setBegun(null)}
        />
      )}
    </Card>
  );
}

function AddApp({ onBegun }: { onBegun(enrollment: Begun): void }) {
  return (
    <section aria-label="Add an authenticator app">
      <h3>Add an authenticator app</h3>
      <ActForm
        act={async (_, form) =>
          (
            await makeClient(null).call("factors.add", {
              body: { kind: "totp", name: form("name").trim() || undefined, password: form("password") },
            })
          ).body
        }
        done="Scan the code with your app"
        button="Add app"
        why={null}
        onDone={onBegun}
      >
        <Field label="Name" name="name" placeholder="Phone" autoComplete="off" />
        <PasswordField label="Your password" name="password" />
      </ActForm>
    </section>
  );
}

function ConfirmApp({
  begun,
  onDone,
  onCancel,
}: {
  begun: Begun;
  onDone(recoveryCodes: readonly string[] | null): void;
  onCancel(): void;
}) {
  return (
    <section aria-label="Confirm the app" className="stack tight">
      <h3>Scan this with {begun.name}</h3>
      {begun.otpauth_url !== null && (
        <QrCode
          text={begun.otpauth_url}
          label="QR code for an authenticator app. The key below has the same content."
        />
      )}
      <p>
        Or enter this key: <code className="exact">{begun.secret}</code>
      </p>
      <ActForm
        act={async (_, form) =>
          (
            await makeClient(null).call("factors.confirm", {
              params: { id: begun.id },
              body: { code: form("code") },
            })
          ).body.recovery_codes
        }
        changes={["factors", "sessions"]}
        done="Your second factor is set up"
        button="Confirm app"
        why={null}
        onDone={onDone}
      >
        <Field label="Six-digit code" name="code" inputMode="numeric" autoComplete="one-time-code" required />
      </ActForm>
      <div>
        <button type="button" className="link" onClick={onCancel}>
          Cancel
        </button>
      </div>
    </section>
  );
}

function RecoveryCodes({ codes, onDone }: { codes: readonly string[]; onDone(): void }) {
  const copy = useCopy("The recovery codes");
  return (
    <section className="note stack tight" role="status" aria-label="Your recovery codes">
      <p>
        Each of these codes works once instead of your second factor. Keep them in a safe place: they are not shown
        again.
      </p>
      <ul className="recovery-codes">
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <div className="row">
        <button type="button" onClick={() => void copy(codes.join("\n"))}>
          Copy the codes
        </button>
        <button type="button" className="link" onClick={onDone}>
          I have saved them
        </button>
      </div>
    </section>
  );
}

function Row({ factor: { id, kind, name, last_used_at: usedAt }, isLast }: { factor: Factor; isLast: boolean }) {
  const say = useSay();
  const dialog = useRef<HTMLDialogElement>(null);
  const remove = useAct(
    async (_, password: string) => makeClient(null).call("factors.remove", { params: { id }, body: { password } }),
    ["factors"],
  );
  return (
    <div className="row apart">
      <span className="who">
        {name}
        <small>
          {kind === "totp" ? "Authenticator app" : "Passkey"} ·{" "}
          {usedAt === null ? (
            "not used yet"
          ) : (
            <>
              last used <Instant at={usedAt} />
            </>
          )}
        </small>
      </span>
      <button type="button" className="danger" onClick={() => dialog.current?.showModal()}>
        Remove<span className="visually-hidden"> {name}</span>
      </button>
      <RemoveDialog
        dialog={dialog}
        name={name}
        isLast={isLast}
        error={remove.error}
        onRemove={(password) =>
          remove.mutate(password, {
            onSuccess() {
              dialog.current?.close();
              say(`${name} was removed`);
            },
          })
        }
      />
    </div>
  );
}

function RemoveDialog({
  dialog,
  name,
  isLast,
  error,
  onRemove,
}: {
  dialog: RefObject<HTMLDialogElement | null>;
  name: string;
  isLast: boolean;
  error: unknown;
  onRemove(password: string): void;
}) {
  const question = `Remove ${name}?`;
  return (
    <dialog ref={dialog} className="dialog" aria-label={question}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          onRemove(String(new FormData(event.currentTarget).get("password") ?? ""));
        }}
      >
        <h2>{question}</h2>
        <p>
          {isLast
            ? "Signing in will require only your password, and your recovery codes will no longer work."
            : "You will no longer be asked for it. Your other factors and your recovery codes are kept."}
        </p>
        <PasswordField label="Your password" name="password" />
        <Refused error={error} />
        <div className="row end">
          <button type="button" onClick={() => dialog.current?.close()}>
            Keep it
          </button>
          <button type="submit" className="primary">
            Remove it
          </button>
        </div>
      </form>
    </dialog>
  );
}
