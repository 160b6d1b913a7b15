// Replaces the MCP SDK's shims in the worker's bundle (wrangler.toml). The SDK's shims include a JSON Schema validator for
// answers to elicitation. Our server elicits nothing, and validates arguments against the contract.
export class DefaultJsonSchemaValidator {
  getValidator(): never {
    throw new Error("no JSON schema is judged here");
  }
}
