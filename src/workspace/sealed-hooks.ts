// Hooks that deny whatever is no call of our server, and tell the model which of the client's tools to use and what is known
// of the client's machine. That is known only with the prompt, so the hooks print it from a file. Pure.
// Source: hooks as run by @cursor/sdk 1.0.23 to 1.0.32: `preToolUse` names built-ins `Read`, `Shell`, … and MCP tools
// `MCP:<name>`; only `user_message` reaches the model; a hook that crashes lets the call through without `failClosed`.
// Assumed: the CLI does the same; not every version fires every event, so the permissions deny the same once more.
import { TOOL_SERVER, type ToolNames } from '../core/tool-names.ts'
import { type ToolRole, toolFor } from '../lib/tool-roles.ts'

/** Cursor's names of its tools → what a client's tool would have to do. */
const BUILT_INS: readonly { readonly names: readonly string[]; readonly role: ToolRole }[] = [
  { names: ['Shell', 'Bash', 'Delete'], role: 'shell' },
  { names: ['Read', 'ReadFile'], role: 'read' },
  { names: ['Write'], role: 'write' },
  { names: ['Edit', 'StrReplace', 'ApplyPatch', 'MultiStrReplace'], role: 'edit' },
  { names: ['Grep', 'SemSearch'], role: 'grep' },
  { names: ['Glob'], role: 'glob' },
  { names: ['LS', 'Ls', 'List'], role: 'list' },
  { names: ['WebFetch', 'Fetch'], role: 'fetch' },
  { names: ['WebSearch'], role: 'search' },
]
const TIMEOUT_S = 10

/**
 * The content of `.cursor/hooks.json`. `factsFile`: absolute; JSON-escaped text that may follow a denial (host-facts.ts). It
 * may be missing. Windows does without: what cmd makes of a file's text is not worth the risk.
 */
export function hooksFor(tools: ToolNames, platform: NodeJS.Platform, factsFile: string): object {
  const deny = (role?: ToolRole): object => ({
    command:
      platform === 'win32'
        ? echoed(denial(tools, role))
        : `${DRAIN}; ${denied(denial(tools, role), factsFile)}`,
    failClosed: true,
    timeout: TIMEOUT_S,
  })
  const named = BUILT_INS.flatMap(({ names }) => names).join('|')
  return {
    version: 1,
    hooks: {
      preToolUse: [
        ...BUILT_INS.map(({ names, role }) => ({
          matcher: `^(?:${names.join('|')})$`,
          ...deny(role),
        })),
        { matcher: `^(?!MCP:|(?:${named})$).*`, ...deny() },
      ],
      beforeShellExecution: [deny('shell')],
      beforeReadFile: [deny('read')],
      ...(platform === 'win32'
        ? {}
        : {
            beforeMCPExecution: [
              {
                command: onlyOurs(denied(deniedServer(tools), factsFile)),
                failClosed: true,
                timeout: TIMEOUT_S,
              },
            ],
          }),
    },
  }
}

/** What the model reads. Which client tool it should use instead, where one fits. */
export function denial(tools: ToolNames, role?: ToolRole): string {
  const offered = tools.offered.map(({ offered: name, tool }) => ({ ...tool, shown: name }))
  if (offered.length === 0)
    return 'No tools are available here: answer from the conversation alone.'
  const fits = role === undefined ? undefined : toolFor(role, offered)
  const where = `of the MCP server "${TOOL_SERVER}"`
  const advice =
    fits === undefined
      ? `Use the tools ${where}: ${offered
          .slice(0, 40)
          .map(({ shown }) => shown)
          .join(', ')}.`
      : `Use the tool "${fits.shown}" ${where} instead.`
  return `This tool is off: it would run in an empty folder, not where the user works. ${advice} Those tools run on the user's machine.`
}

const deniedServer = (tools: ToolNames): string =>
  `Tools of other servers are off. ${denial(tools).replace(/^.*?works\. /, '')}`

/** A hook whose input nobody reads may look like one that failed: whoever writes it gets EPIPE. */
const DRAIN = 'cat >/dev/null'

/** What cmd would take as its own has no place in our texts. */
const echoed = (message: string): string =>
  `echo ${JSON.stringify({ permission: 'deny', user_message: message }).replaceAll(/[&|<>^%]/g, ' ')}`

/**
 * Prints the denial, with the file's text inside the message: faster than starting a script. Whatever the file holds is text
 * to the shell, and without the file the message ends where it would.
 */
function denied(message: string, factsFile: string): string {
  const open = `{"permission":"deny","user_message":${JSON.stringify(message).slice(0, -1)}`
  return `printf '%s%s"}\\n' ${quoted(open)} "$(cat ${quoted(factsFile)} 2>/dev/null)"`
}

/** POSIX shells need their quotes doubled only. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** Assumed: the server's name is told as `mcp_server_name`; a version that tells none is let through. */
function onlyOurs(otherwise: string): string {
  const allowed = `printf '%s\\n' ${quoted(JSON.stringify({ permission: 'allow' }))}`
  const ours = `*'"mcp_server_name":"${TOOL_SERVER}"'*|*'"mcp_server_name": "${TOOL_SERVER}"'*`
  return `case "$(cat)" in ${ours}) ${allowed};; *'"mcp_server_name"'*) ${otherwise};; *) ${allowed};; esac`
}
