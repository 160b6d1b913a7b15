/**
 * The factor by which the parts of an upload are smaller in the worker's tests, and in tests of connectors with many uploads of several
 * parts. Such a test then sends kilobytes instead of megabytes.
 */
export const CHUNKS_DIVISOR = 64;
