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
