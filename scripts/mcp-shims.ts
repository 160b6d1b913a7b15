// Takes the place of the MCP SDK's shims in the worker's bundle (wrangler.toml). Theirs bring a validator of JSON schemas, for
// the answers of a user whom a server asks. Ours asks nobody, and judges arguments by the contract.
export class DefaultJsonSchemaValidator {
  getValidator(): never {
    throw new Error("no JSON schema is judged here");
  }
}
