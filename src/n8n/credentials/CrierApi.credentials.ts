import type { ICredentialType } from "n8n-workflow";

/** The address of a Crier, and the key of a workspace there. */
export class CrierApi implements ICredentialType {
  name = "crierApi";
  displayName = "Crier API";
  icon = "file:../crier.svg" as const;
  properties: ICredentialType["properties"] = [
    {
      displayName: "Base URL",
      name: "url",
      type: "string",
      default: "",
      placeholder: "https://crier.example.com",
      required: true,
      description: "Address of your Crier deployment",
    },
    {
      displayName: "API Key",
      name: "apiKey",
      type: "string",
      typeOptions: { password: true },
      default: "",
      placeholder: "crier_live_...",
      required: true,
      description: "Workspace key, or a named key with the scopes that the workflow needs",
    },
  ];
  authenticate: ICredentialType["authenticate"] = {
    type: "generic",
    properties: { headers: { authorization: "=Bearer {{$credentials.apiKey}}" } },
  };
  test: ICredentialType["test"] = {
    request: { baseURL: '={{$credentials.url.trim().replace(/\\/+$/, "")}}', url: "/v1/workspace" },
  };
}
