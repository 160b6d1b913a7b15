/**
 * An invalid setting. The deployment answers nothing until its operator has corrected it. The message contains no value of a
 * setting.
 */
export class SettingsError extends Error {
  override name = "SettingsError";
}
