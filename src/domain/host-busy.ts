/** A host was called so often that it is not called now. */
export class HostBusy extends Error {
  override name = "HostBusy";
  /** How long to wait, in seconds. */
  readonly waitS: number;
  constructor(waitS: number) {
    super("the host was called too often");
    this.waitS = waitS;
  }
}
