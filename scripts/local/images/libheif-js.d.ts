// What of libheif-js is used here: its own types describe the C API.
declare module "libheif-js/wasm-bundle.js" {
  interface Pixels {
    data: Uint8ClampedArray<ArrayBuffer>;
    width: number;
    height: number;
  }
  interface Picture {
    get_width(): number;
    get_height(): number;
    /** Writes red, green, blue and alpha of each pixel as shown; null: it cannot be decoded. */
    display(into: Pixels, done: (written: Pixels | null) => void): void;
    free(): void;
  }
  const libheif: { HeifDecoder: new () => { decode(file: Uint8Array): Picture[] } };
  export default libheif;
}
