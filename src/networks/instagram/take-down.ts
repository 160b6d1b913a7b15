// `DELETE /{media}`, for accounts that are connected by Facebook Login: reference of ig-media, "Deleting", read 2026-11-27.
import type { ConnectorContext, Published } from "../network.ts";
import type { ContainerKey } from "../shared/meta/container.ts";
import { takePostDown } from "../shared/meta/container-take-down.ts";
import type { MetaCredential } from "../shared/meta/login.ts";
import { containers } from "./api.ts";

export const takeDown = (post: Published<ContainerKey>, context: ConnectorContext<MetaCredential>) =>
  takePostDown(containers, post, context);
