// What a check of `crier doctor` says.
export interface Finding {
  check: string;
  state: "ok" | "warning" | "failed";
  message: string;
  /** What to do about it. */
  hint?: string;
}

export type Tell = (check: string, state: Finding["state"], message: string, hint?: string) => void;
