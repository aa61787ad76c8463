// Folds what clients and agents can invent into closed lists, so that the number of series stays bounded. Pure.

/** Public tool names as agents and clients use them. Source: names in Cursor's streams and in the tool lists of clients. */
const TOOLS = new Set([
  'Agent',
  'ApplyPatch',
  'Bash',
  'Delete',
  'Edit',
  'Glob',
  'Grep',
  'LS',
  'Mcp',
  'MultiEdit',
  'NotebookEdit',
  'Read',
  'ReadLints',
  'SemanticSearch',
  'Skill',
  'Task',
  'TodoRead',
  'TodoWrite',
  'WebFetch',
  'WebSearch',
  'Write',
  'apply_patch',
  'bash',
  'edit',
  'glob',
  'grep',
  'list',
  'patch',
  'read',
  'shell',
  'task',
  'todoread',
  'todowrite',
  'webfetch',
  'write',
])

export function toolLabel(tool: string): string {
  if (tool.startsWith('mcp__')) return 'Mcp'
  return TOOLS.has(tool) ? tool : 'other'
}

/** The routes there are, as templates; without the `/v1` that some may be called without. */
export const ROUTES: readonly string[] = [
  '/v1/chat/completions',
  '/v1/responses',
  '/v1/responses/input_tokens',
  '/v1/messages',
  '/v1/messages/count_tokens',
  '/v1/models',
  '/v1/models/:id',
  '/health',
  '/health/details',
  '/metrics',
  '/mcp/:token',
]
const KNOWN_ROUTES = new Set(ROUTES)

export function routeLabel(route: string): string {
  return KNOWN_ROUTES.has(route) ? route : 'other'
}

export function statusLabel(status: number): string {
  return Number.isInteger(status) && status >= 100 && status < 600 ? String(status) : 'other'
}
