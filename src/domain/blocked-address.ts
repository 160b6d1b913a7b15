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

/** A public IP address as host: it is taken, but the platform calls hosts by their names alone. */
export class IpAddressHost extends BlockedAddress {
  override name = "IpAddressHost";
  constructor() {
    super("url_not_public");
  }
}
