// What a network needs of an account, for the person who connects it.
import { networkName } from "../../domain/network-name.ts";
import { describeAccounts } from "../words/accounts.ts";

export function AccessNeeds({ platform }: { platform: string }) {
  const { needs } = describeAccounts(platform);
  if (needs.length === 0) return null;
  return (
    <details>
      <summary>What {networkName(platform)} needs</summary>
      <ul className="access-needs">
        {needs.map((need) => (
          <li key={need}>{need}</li>
        ))}
      </ul>
    </details>
  );
}
