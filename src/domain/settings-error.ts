/**
 * A setting that makes no sense: the deployment answers nothing until its operator has corrected it. The message holds no value of a
 * setting.
 */
export class SettingsError extends Error {
  override name = "SettingsError";
}
