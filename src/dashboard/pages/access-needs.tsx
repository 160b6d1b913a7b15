// A network's requirements for an account and for the operator's app, in the words of its rule.
import { networkName } from "../../domain/network-name.ts";
import type { Rule } from "../types.ts";

/** Rule texts mark code as Markdown does. */
const plain = (text: string) => text.replaceAll("`", "");

export function AccessNeeds({ rule: { platform, access } }: { rule: Rule }) {
  return (
    <details>
      <summary>What {networkName(platform)} needs</summary>
      <p>{plain(access.account)}</p>
      <p>Review: {plain(access.review)}</p>
      <p>Limits: {plain(access.limits)}</p>
      <dl className="needs">
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
