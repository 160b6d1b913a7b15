// What a connect link asks for where the account's server cannot be asked for consent.
import type { LinkForm } from "../network.ts";

export const linkForm: LinkForm = {
  fields: [
    { name: "identifier", label: "Handle", hint: "As in your profile: you.bsky.social", isSecret: false },
    { name: "app_password", label: "App password", hint: "Not the password you sign in with.", isSecret: true },
  ],
  steps: () => [
    "In Bluesky, open Settings, Privacy and security, App passwords.",
    "Add an app password, and copy it.",
    "Enter your handle and the app password below. You can delete the app password there at any time, which ends the access.",
  ],
};
