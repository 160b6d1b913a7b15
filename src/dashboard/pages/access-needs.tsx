// What an account and the operator's app need at a network, in the words of its rule.
import { networkName } from "../../domain/network-name.ts";
import type { Rule } from "../types.ts";

/** Texts of rules mark code as Markdown does. */
const plain = (text: string) => text.replaceAll("`", "");

export function AccessNeeds({ rule: { platform, access } }: { rule: Rule }) {
  return (
    <details>
      <summary>What {networkName(platform)} needs</summary>
      <p>{plain(access.account)}</p>
      <p>Review: {plain(access.review)}</p>
      <p>Limits: {plain(access.limits)}</p>
      <dl>
        {Object.entries(access.problems).map(([name, { missing, sign, fix }]) => (
          <div key={name}>
            <dt>{plain(missing)}</dt>
            <dd>
              {plain(sign)} {plain(fix)}
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
