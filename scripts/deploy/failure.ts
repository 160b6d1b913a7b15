/** What stopped a deploy, and how to repair it, in words for the person at the terminal. Neither holds a secret. */
export class DeployFailure extends Error {
  override name = "DeployFailure";
  readonly fix: string;
  constructor(message: string, fix: string) {
    super(message);
    this.fix = fix;
  }
}
