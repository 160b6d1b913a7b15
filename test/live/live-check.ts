// A check of one network with a real account, and its results.
import type { Json } from "../../src/domain/json.ts";
import type { Account, Network, NetworkIO } from "../../src/networks/network.ts";
import type { PublicFiles } from "./files.ts";

export interface Finding {
  subject: string;
  /** `warning`: worth knowing, but no failure of Crier. */
  state: "ok" | "warning" | "failed";
  message: string;
}

/** A post that is on the network, or may be. */
export interface RemainingPost {
  subject: string;
  address: string;
}

export interface LiveCheck {
  network: Network;
  io: NetworkIO;
  /** Returns the account. An error that it throws becomes a finding. */
  signIn(): Promise<Account<Json>>;
  /** The number of calls so far. */
  callsSoFar(): number;
  options: Record<string, Json>;
  publicFiles: PublicFiles | null;
  /** Waits this long, or until the person stops the check. */
  pause(ms: number): Promise<void>;
  /** Whether the person has stopped the check. Published posts are then taken down, and nothing more is posted. */
  stopped(): boolean;
  tell(finding: Finding): void;
  /** Posts that are or may be on the network. The person is told about those that remain at the end. */
  remaining: Set<RemainingPost>;
  /** Collects the credentials of the account, which are never printed. */
  keepSecret(account: Account<Json>): void;
}
