// Links to the dashboard in mails. They name the workspace, because a member of several workspaces may have another one open.

/** The part of a dashboard address that names the workspace to open. */
export const WORKSPACE_PARAMETER = "workspace";

/** `page`: a path of the dashboard, which may have a query. */
export const buildDashboardLink = (dashboardUrl: string, page: string, workspaceId: string): string =>
  `${dashboardUrl}${page}${page.includes("?") ? "&" : "?"}${WORKSPACE_PARAMETER}=${workspaceId}`;
