/** Why a deploy stopped, and how to fix it, for the user at the terminal. Contains no secrets. */
export class DeployFailure extends Error {
  override name = "DeployFailure";
  readonly fix: string;
  constructor(message: string, fix: string) {
    super(message);
    this.fix = fix;
  }
}
