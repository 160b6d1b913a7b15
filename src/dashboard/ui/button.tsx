// A button. Its height follows the pointer: 36 px for a mouse, 44 px for a finger.
import type { ButtonHTMLAttributes, ReactNode } from "react";
import { Icon, type IconName } from "./icons.tsx";

interface ButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, "className"> {
  /** One primary button at most in each view. Without a variant the button is secondary. */
  variant?: "primary" | "secondary" | "quiet" | "danger";
  size?: "medium" | "small";
  icon?: IconName;
  /** The action is under way: the button shows it and cannot be pressed again. */
  isBusy?: boolean;
  children: ReactNode;
}

export function Button({
  variant = "secondary",
  size = "medium",
  icon,
  isBusy = false,
  children,
  ...button
}: ButtonProps) {
  const names = [variant === "secondary" ? "" : variant, size === "small" ? "small" : ""];
  return (
    <button
      type="button"
      {...button}
      className={names.join(" ").trim()}
      aria-busy={isBusy ? true : undefined}
      disabled={button.disabled === true || isBusy}
    >
      {icon !== undefined && !isBusy && <Icon name={icon} />}
      {children}
    </button>
  );
}

/** A button with an icon only. */
export const IconButton = ({
  name,
  icon,
  ...button
}: { /** For screen readers. */ name: string; icon: IconName } & Omit<
  ButtonHTMLAttributes<HTMLButtonElement>,
  "className" | "name"
>) => (
  <button type="button" {...button} className="quiet icon-button" aria-label={name}>
    <Icon name={icon} />
  </button>
);
