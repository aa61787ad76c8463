// Other coding agents.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Client } from '../client.ts'
import { npm, python } from '../install.ts'
import { exported, printed, put, setup } from '../set-up.ts'

export const opencode: Client = {
  name: 'OpenCode',
  version: '1.18.33',
  packages: [npm('opencode-ai', '1.18.33')],
  quick: ['one question', 'own tools (bridge)', 'cancel in the middle'],
  prepare: (ask) => setup(['opencode', '--write'], ask),
  command: ({ prompt, goOn }) => ['opencode', 'run', ...(goOn ? ['--continue'] : []), prompt],
  env: () => ({
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_MODELS_FETCH: '1',
    OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
    OPENCODE_DISABLE_SHARE: '1',
  }),
  setup: {
    name: 'opencode',
    writes: true,
    file: {
      path: '.config/opencode/opencode.json',
      text: '{\n  "$schema": "https://opencode.ai/config.json",\n  // mine\n  "share": "disabled",\n  "permission": { "*": "allow" },\n}\n',
    },
    runArgs: ({ prompt }) => ['run', prompt],
  },
  toolLoop: { tool: 'read', input: (file) => ({ filePath: file }) },
}

const CODEX = ['--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox']

export const codex: Client = {
  name: 'Codex',
  version: '0.171.0',
  packages: [npm('@openai/codex', '0.171.0')],
  quick: ['one question', 'own tools (bridge)', 'cancel in the middle'],
  needs: '/v1/responses',
  prepare: (ask) => setup(['codex', '--write'], ask),
  command: ({ prompt, goOn }) => [
    'codex',
    'exec',
    ...CODEX,
    ...(goOn ? ['resume', '--last', prompt] : [prompt]),
  ],
  setup: {
    name: 'codex',
    writes: true,
    file: {
      path: '.codex/config.toml',
      text: '# mine\ncheck_for_update_on_startup = false\n\n[analytics]\nenabled = false\n',
    },
    runArgs: ({ prompt }) => ['exec', ...CODEX, prompt],
  },
  toolLoop: { tool: 'exec_command', input: (file) => ({ cmd: `cat ${file}` }) },
}

/** The last line that spoke chat completions. */
export const codexChat: Client = {
  name: 'Codex over chat completions',
  version: '0.80.0',
  packages: [npm('@openai/codex', '0.80.0')],
  prepare: async ({ url, home }) => {
    mkdirSync(join(home, '.codex'), { recursive: true })
    const lines = [
      'model = "auto"',
      'model_provider = "local"',
      'check_for_update_on_startup = false',
      '[model_providers.local]',
      'name = "Local"',
      `base_url = "${url}/v1"`,
      'wire_api = "chat"',
    ]
    writeFileSync(join(home, '.codex/config.toml'), `${lines.join('\n')}\n`)
  },
  command: codex.command,
  without: {
    'access key': 'its file is written by the suite itself',
    'told to wait (429)': 'this old line gives up at any 429',
    'failure in the middle': 'this old line takes a broken stream for the end of the answer',
  },
  toolLoop: { tool: 'shell', input: (file) => ({ command: ['cat', file] }) },
}

export const qwenCode: Client = {
  name: 'Qwen Code',
  version: '0.24.4',
  packages: [npm('@qwen-code/qwen-code', '0.24.4')],
  node24: true,
  command: ({ prompt, goOn }) => [
    'qwen',
    '--auth-type',
    'openai',
    '--yolo',
    ...(goOn ? ['--continue'] : []),
    prompt,
  ],
  env: (ask) => exported('qwen-code', ask),
  setup: { name: 'qwen-code', writes: false, runArgs: ({ prompt }) => ['--yolo', prompt] },
  toolLoop: { tool: 'read_file', input: (file) => ({ file_path: file }) },
  brokenOff: { says: /the model went away/, runs: 2 },
}

export const pi: Client = {
  name: 'pi',
  version: '1.6.0',
  packages: [npm('@earendil-works/pi-coding-agent', '1.6.0')],
  node24: true,
  quick: 'all',
  prepare: (ask) => put(join(ask.home, '.pi/agent/models.json'), printed('pi', ask), 'json'),
  command: ({ prompt, goOn }) => [
    'pi',
    '-p',
    '--provider',
    'cursor-adapter',
    '--model',
    'auto',
    ...(goOn ? ['--continue'] : []),
    prompt,
  ],
  env: () => ({ PI_OFFLINE: '1', PI_TELEMETRY: '0', PI_SKIP_VERSION_CHECK: '1' }),
  toolLoop: { tool: 'read', input: (file) => ({ path: file }) },
}

export const cline: Client = {
  name: 'Cline',
  version: '3.0.65',
  packages: [npm('cline', '3.0.65')],
  prepare: async (ask, run) => {
    const [part] = printed('cline', ask)
    const { code, stderr, stdout } = await run(['sh', '-c', part?.text ?? '']).ended
    if (code !== 0) throw new Error(`cline auth failed: ${stdout}${stderr}`)
  },
  command: ({ prompt }) => ['cline', '--auto-approve', 'true', '--retries', '2', prompt],
  without: {
    'two turns': 'it goes on with a session only on a terminal',
    'access key': 'the key is put into its file by hand',
  },
  env: () => ({ CLINE_TELEMETRY_DISABLED: '1', CLINE_NO_AUTO_UPDATE: '1', DO_NOT_TRACK: '1' }),
  toolLoop: { tool: 'read_files', input: (file) => ({ files: [{ path: file }] }) },
}

export const aider: Client = {
  name: 'aider',
  version: '0.86.2',
  packages: [python('aider-chat', '0.86.2')],
  command: ({ prompt, goOn }) => [
    'aider',
    '--model',
    'openai/auto',
    '--no-show-model-warnings',
    '--no-git',
    '--no-check-update',
    '--yes-always',
    '--no-pretty',
    '--analytics-disable',
    '--no-detect-urls',
    ...(goOn ? ['--restore-chat-history'] : []),
    '--message',
    prompt,
  ],
  env: (ask) => exported('aider', ask),
}

export const hermes: Client = {
  name: 'Hermes Agent',
  version: '0.19.0',
  packages: [python('hermes-agent', '0.19.0')],
  quick: ['one question', 'own tools (bridge)'],
  prepare: (ask) => setup(['hermes', '--write'], ask),
  command: ({ prompt, goOn }) => [
    'hermes',
    'chat',
    '--quiet',
    '--yolo',
    ...(goOn ? ['--continue'] : []),
    '-q',
    prompt,
  ],
  setup: {
    name: 'hermes',
    writes: true,
    file: {
      path: '.hermes/config.yaml',
      text: '# mine\nmodel: anthropic/claude-opus-4.6\nagent:\n    max_turns: 20 # few\n',
    },
    runArgs: ({ prompt }) => ['chat', '--quiet', '-q', prompt],
  },
  toolLoop: { tool: 'read_file', input: (file) => ({ path: file }) },
  brokenOff: { says: /truncated after 4 continuation attempts/, runs: 4 },
}

const ROUTER_PORT = 3456

export const claudeCodeRouter: Client = {
  name: 'Claude Code through Claude Code Router',
  version: '2.0.0',
  packages: [
    npm('@anthropic-ai/claude-code', '2.1.332'),
    npm('@musistudio/claude-code-router', '2.0.0'),
  ],
  prepare: async (ask, run) => {
    const file = join(ask.home, '.claude-code-router/config.json')
    await put(file, printed('claude-code-router', ask), 'json')
    const own = { PORT: ROUTER_PORT, HOST: '127.0.0.1', LOG: false, NON_INTERACTIVE_MODE: true }
    const printedText = readFileSync(file, 'utf8')
    writeFileSync(file, printedText.replace('{', `${JSON.stringify(own).slice(0, -1)},`))
    run(['ccr', 'start'])
  },
  command: ({ prompt, goOn }) => [
    'claude',
    ...(goOn ? ['--continue'] : []),
    '-p',
    prompt,
    '--dangerously-skip-permissions',
  ],
  env: () => ({
    ANTHROPIC_BASE_URL: `http://127.0.0.1:${ROUTER_PORT}`,
    ANTHROPIC_AUTH_TOKEN: 'unused',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    IS_SANDBOX: '1',
  }),
  toolLoop: { tool: 'Read', input: (file) => ({ file_path: file }) },
  without: { 'cancel in the middle': 'the router reads on when its client has left' },
}
