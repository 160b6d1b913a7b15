// A search field whose words are part of the address.
import { useEffect, useState } from "react";

const PAUSE_MS = 350;

interface SearchFieldProps {
  label: string;
  placeholder: string;
  className: string;
  value: string;
  onChange(value: string): void;
}

/** Reports the words once the person pauses. If the address changes elsewhere, for example when filters are cleared, the field shows its words. */
export function SearchField({ label, placeholder, className, value, onChange }: SearchFieldProps) {
  const [typed, setTyped] = useState(value);
  const [lastValue, setLastValue] = useState(value);
  if (value !== lastValue) {
    setLastValue(value);
    if (value !== typed.trim()) setTyped(value);
  }
  useEffect(() => {
    if (typed.trim() === value) return;
    const timer = setTimeout(() => onChange(typed.trim()), PAUSE_MS);
    return () => clearTimeout(timer);
  });
  return (
    <input
      type="search"
      className={className}
      aria-label={label}
      placeholder={placeholder}
      dir="auto"
      value={typed}
      onChange={({ target }) => setTyped(target.value)}
    />
  );
}
