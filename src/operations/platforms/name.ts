import { networkOf } from "../../networks/index.ts";

/** A network as people write it, by its id. */
export const networkName = (platform: string): string =>
  networkOf(platform)?.name ?? platform.charAt(0).toUpperCase() + platform.slice(1);
