// Where an installation stores data and runs. This is chosen at the first deploy.
import { isJurisdiction, isLocation, type Jurisdiction, type Location } from "../../src/domain/place.ts";
import { DeployFailure } from "./failure.ts";
import type { Options } from "./options.ts";
import type { Deployed } from "./worker.ts";

export interface Place {
  /**
   * Where Durable Objects are created and the Worker runs. null: objects are created where they are first called, and the
   * Worker runs near the services that it calls.
   */
  location: Location | null;
  /** The jurisdiction in which D1, R2, queues and objects store data; null: none. */
  jurisdiction: Jurisdiction | null;
}

/** No restriction. */
export const NOWHERE: Place = { location: null, jurisdiction: null };

/**
 * The cloud region near which the Worker runs, for each location. `placement.region` accepts no other names
 * (developers.cloudflare.com/changelog/post/2026-01-22-explicit-placement-hints, read 2026-11-24).
 */
const REGIONS: Record<Location, string> = {
  weur: "aws:eu-central-1",
  eeur: "gcp:europe-central2",
  apac: "aws:ap-southeast-1",
  oc: "aws:ap-southeast-2",
  wnam: "aws:us-west-2",
  enam: "aws:us-east-1",
};
const JURISDICTION_REGIONS: Record<Jurisdiction, string> = { eu: REGIONS.weur, us: REGIONS.enam };

/** The region near which the Worker runs; null: Cloudflare places it near its database. */
export function findRegion({ location, jurisdiction }: Place): string | null {
  if (jurisdiction !== null) return JURISDICTION_REGIONS[jurisdiction];
  return location === null ? null : REGIONS[location];
}

/** The place from the flags, or else the deployed place. Throws if it can no longer be changed. */
export function choosePlace({ location, jurisdiction }: Partial<Options>, { vars, isCrier }: Deployed): Place {
  const [deployedLocation, deployedJurisdiction] = [vars.get("LOCATION"), vars.get("JURISDICTION")];
  if (isCrier && jurisdiction !== undefined && jurisdiction !== deployedJurisdiction) {
    const now = deployedJurisdiction === undefined ? "no jurisdiction" : `the jurisdiction ${deployedJurisdiction}`;
    throw new DeployFailure(
      `This installation is in ${now}, and its stored data cannot be moved to another jurisdiction.`,
      `Create another installation: npm run deploy -- --name another-name --jurisdiction ${jurisdiction}`,
    );
  }
  if (location !== undefined && deployedJurisdiction !== undefined) {
    throw new DeployFailure(
      `This installation is in the jurisdiction ${deployedJurisdiction}, which determines its location.`,
      "Omit --database-location.",
    );
  }
  const chosen = { location: location ?? deployedLocation, jurisdiction: jurisdiction ?? deployedJurisdiction };
  return {
    location: isLocation(chosen.location) ? chosen.location : null,
    jurisdiction: isJurisdiction(chosen.jurisdiction) ? chosen.jurisdiction : null,
  };
}

/** The settings that tell the Worker its place. */
export const toPlaceSettings = ({ location, jurisdiction }: Place): Record<string, string> => ({
  ...(location === null ? {} : { LOCATION: location }),
  ...(jurisdiction === null ? {} : { JURISDICTION: jurisdiction }),
});

const CONTINENTS: Record<Location, string> = {
  weur: "Europe",
  eeur: "Europe",
  apac: "Asia",
  oc: "Oceania",
  wnam: "North America",
  enam: "North America",
};
const JURISDICTION_CONTINENTS: Record<Jurisdiction, string> = { eu: "Europe", us: "North America" };

/**
 * The databases on another continent than the Worker and its objects. Each call then makes several intercontinental round
 * trips.
 */
export function findDistant(
  { location, jurisdiction }: Place,
  databases: { name: string; region: string | undefined }[],
): string[] {
  const chosen = jurisdiction === null ? location && CONTINENTS[location] : JURISDICTION_CONTINENTS[jurisdiction];
  const reference = chosen === null ? "the first database" : "the Worker and its objects";
  const located = databases.flatMap(({ name, region }) =>
    isLocation(region) ? [{ name, continent: CONTINENTS[region] }] : [],
  );
  const near = chosen ?? located[0]?.continent;
  return located
    .filter(({ continent }) => continent !== near)
    .map(
      ({ name, continent }) =>
        `WARNING: ${name} runs in ${continent}, ${reference} in ${near}. A database cannot be moved after it was created`,
    );
}
