/**
 * An invalid setting. The deployment answers every request with 503 until the operator has corrected the setting. The message
 * never contains the value of a setting.
 */
export class SettingsError extends Error {
  override name = "SettingsError";
}
