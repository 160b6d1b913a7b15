// A labeled input.
import type { InputHTMLAttributes, ReactNode } from "react";

interface FieldProps extends InputHTMLAttributes<HTMLInputElement> {
  label: string;
  /** Shown below it. */
  children?: ReactNode;
}

export function Field({ label, children, ...input }: FieldProps) {
  return (
    <label className="field">
      <span>{label}</span>
      <input {...input} />
      {children}
    </label>
  );
}

/** A date and time on the clock of a zone, which is named below it. `value`: as `2026-12-01T09:30`. */
export const DateTimeField = ({ zone, ...field }: FieldProps & { zone?: string }) => (
  <Field {...field} type="datetime-local">
    {zone !== undefined && <small>{zone} time</small>}
  </Field>
);

/** A password field that works with password managers. */
export function PasswordField({ label, name, isNew = false }: { label: string; name: string; isNew?: boolean }) {
  return (
    <Field
      label={label}
      name={name}
      type="password"
      autoComplete={isNew ? "new-password" : "current-password"}
      required
    />
  );
}
