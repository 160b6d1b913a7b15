import type { AddressRefusal } from "./public-url.ts";

/** An address that must not be called. */
export class BlockedAddress extends Error {
  override name = "BlockedAddress";
  readonly refusal: AddressRefusal;
  constructor(refusal: AddressRefusal) {
    super("an address that is not public was refused");
    this.refusal = refusal;
  }
}

/** A host that is a public IP address. It is accepted, but the platform only calls hosts by name. */
export class IpAddressHost extends BlockedAddress {
  override name = "IpAddressHost";
  constructor() {
    super("url_not_public");
  }
}
