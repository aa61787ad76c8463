// What we say first to an ACP child.
import type { JsonObject } from '../../lib/json.ts'

/** Source: launch to answer 0.64 s on macOS, 1.4 to 4.3 s on Windows; a busy machine starting several needs more. */
export const INITIALIZE_MS = 30_000

/**
 * No file system and no terminal of ours: Cursor's agent has its own. With `parameterizedModelPicker` the models are
 * base ids with options beside them, which reach more variants than the bracketed list. Source: host integrations.
 */
export const INITIALIZE: JsonObject = {
  protocolVersion: 1,
  clientInfo: { name: 'cursor-adapter', version: '1' },
  clientCapabilities: {
    fs: { readTextFile: false, writeTextFile: false },
    terminal: false,
    _meta: { parameterizedModelPicker: true },
  },
}
