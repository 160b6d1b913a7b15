// The result of a `crier doctor` check.
export interface Finding {
  check: string;
  state: "ok" | "warning" | "failed";
  message: string;
  /** The suggested action. */
  hint?: string;
}

export type Tell = (check: string, state: Finding["state"], message: string, hint?: string) => void;
