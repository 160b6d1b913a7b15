// Where an installation stores its data.

/**
 * Where D1 writes a database; Durable Objects use the same locations
 * (developers.cloudflare.com/d1/configuration/data-location, read 2026-11-24).
 */
export const LOCATIONS = ["weur", "eeur", "apac", "oc", "wnam", "enam"] as const;
export type Location = (typeof LOCATIONS)[number];
export const isLocation = (value: string | undefined): value is Location =>
  LOCATIONS.some((location) => location === value);

/**
 * The jurisdictions to which D1, Durable Objects, Queues and R2 can all restrict their data. Each product's page on data
 * location names them, read 2026-11-24
 * (D1 eu since 2025-11-05, us since 2026-10-02; objects us since 2026-06-26; R2 us since 2026-08-17).
 */
export const JURISDICTIONS = ["eu", "us"] as const;
export type Jurisdiction = (typeof JURISDICTIONS)[number];
export const isJurisdiction = (value: string | undefined): value is Jurisdiction =>
  JURISDICTIONS.some((jurisdiction) => jurisdiction === value);
