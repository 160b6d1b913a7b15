// Adds a passkey: the browser creates it between two calls.
import { makeClient } from "../../api.ts";
import { createPasskey, hasPasskeys } from "../../factor/passkey.ts";
import { ActForm } from "../../ui/act-form.tsx";
import { Field, PasswordField } from "../../ui/field.tsx";

export function AddPasskey({ onAdded }: { onAdded(recoveryCodes: readonly string[] | null): void }) {
  const reason = hasPasskeys() ? null : "This browser doesn't support passkeys.";
  async function add(name: string, password: string): Promise<readonly string[] | null> {
    const client = makeClient(null);
    const body = { kind: "passkey", name: name.trim() || undefined, password } as const;
    const { id, options } = (await client.call("factors.add", { body })).body;
    if (options === null) throw new Error("Crier's response has no passkey options.");
    const passkey = await createPasskey(options);
    return (await client.call("factors.confirm", { params: { id }, body: { passkey } })).body.recovery_codes;
  }
  return (
    <section aria-label="Add a passkey">
      <h3>Add a passkey</h3>
      <ActForm
        act={(_, form) => add(form("name"), form("password"))}
        changes={["factors", "sessions"]}
        done="Passkey added"
        button="Add passkey"
        why={reason}
        onDone={onAdded}
      >
        <Field label="Name" name="name" placeholder="Laptop" autoComplete="off" />
        <PasswordField label="Your password" name="password" />
      </ActForm>
    </section>
  );
}
