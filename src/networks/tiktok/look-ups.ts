// The privacy levels that this account may choose: creator info, 20 calls a minute for an account.
import type { LookUps } from "../network.ts";
import { askCreator } from "./creator.ts";
import { type Credential, PRIVACY_LEVELS } from "./rule.ts";

const LABELS: Record<(typeof PRIVACY_LEVELS)[number], string> = {
  PUBLIC_TO_EVERYONE: "Everyone",
  MUTUAL_FOLLOW_FRIENDS: "Friends",
  FOLLOWER_OF_CREATOR: "Followers",
  SELF_ONLY: "Only you",
};

export const lookUps: LookUps<Credential> = {
  privacy_level: {
    async list(_values, context) {
      const creator = await askCreator(context);
      if ("is" in creator) return creator;
      const options = PRIVACY_LEVELS.map((value) => ({
        value,
        label: LABELS[value],
        description: null,
        disabledReason: creator.privacy_level_options.includes(value) ? null : "This account cannot use this value.",
      }));
      return { is: "options", options };
    },
  },
};
