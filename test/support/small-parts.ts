/**
 * Parts of uploads are so many times smaller in the worker's tests, and wherever a test of a connector goes through many
 * uploads of several parts: such a test then moves kilobytes instead of megabytes.
 */
export const PARTS_DIVISOR = 64;
