// The one list of settings: key, default, range, unit, meaning, flag. Everything else about settings is derived from it.
// Times are seconds unless the name ends in `_ms`.
import * as z from 'zod'
import { ABSOLUTE, ABSOLUTE_OR_AUTO, ANY, HOST, WORD, WORKSPACE } from './forms.ts'
import { boolean, choice, integer, list, map, number, optionalText, text } from './kinds.ts'

const seconds = { unit: 'seconds' }
const DAY = 86_400

export const configSchema = z.strictObject({
  port: integer(8976, [0, 65_535], {
    meaning: 'TCP port; 0 picks a free one and prints it.',
    flag: '--port',
  }),
  host: text('127.0.0.1', HOST, {
    form: 'a host name or an IP address',
    meaning: 'Address to listen on. Anything but loopback needs api_key.',
    flag: '--host',
  }),
  api_key: optionalText(WORD, {
    form: 'printable characters without spaces',
    meaning: 'Key that clients must send (Bearer or x-api-key).',
    secret: true,
  }),
  allowed_hosts: list(HOST, {
    form: 'host names without port',
    meaning: 'Names besides the local ones that a Host header may carry.',
  }),
  cursor_cli_path: text('auto', ANY, {
    form: 'auto, a command name or a path',
    meaning:
      "Cursor's command line program: auto looks for cursor-agent, then agent, on the PATH. Any executable that speaks its language will do.",
    flag: '--cursor-cli-path',
    path: true,
  }),
  default_model: text('auto', WORD, {
    form: 'a model id',
    meaning: 'Model for requests that name none, or a family that Cursor does not have.',
    flag: '--default-model',
  }),
  timeout: integer(300, [1, DAY], {
    ...seconds,
    meaning: 'Longest time of one reply, from its slot to its end; then 504.',
    flag: '--timeout',
  }),
  stall_timeout: integer(120, [1, DAY], {
    ...seconds,
    meaning: 'Longest silence of the agent while no tool runs; then 504 naming the stall.',
  }),
  queue_timeout: integer(100, [1, DAY], {
    ...seconds,
    meaning: 'Longest wait for a free slot; then 503.',
  }),
  concurrency: integer(5, [1, 64], {
    unit: 'runs',
    meaning: 'Runs that may be active at once; also the number of worker threads kept.',
    flag: '--concurrency',
  }),
  max_waiting: integer(50, [0, 10_000], {
    unit: 'requests',
    meaning: 'Requests that may wait for a slot; one more gets 429 (529 on the Messages API).',
  }),
  backend: choice(
    'auto',
    ['auto', 'print', 'acp', 'sdk'],
    {
      meaning:
        "How Cursor's agent is run: print = one process per turn; acp = processes that stay up; auto = acp in scratch folders when its self-test passes, else print.",
    },
    ['sdk'],
  ),
  mode: choice('auto', ['auto', 'agent', 'bridge', 'ask', 'plan'], {
    meaning: 'Who runs the tools, unless a request says so itself (X-Cursor-Mode).',
  }),
  usage: choice('prompt', ['prompt', 'cursor'], {
    meaning:
      "Token counts told to clients: prompt = the conversation as the client sees it, cursor = the agent's own totals.",
  }),
  pool: z.strictObject({
    warm: integer(1, [0, 64], {
      unit: 'processes',
      meaning: 'Agents kept started and waiting for a prompt; 0 turns warming off.',
    }),
    warm_idle: integer(600, [1, DAY], {
      ...seconds,
      meaning: 'Age at which unused agents and threads beyond the minimum are let go.',
    }),
    recycle_after: integer(50, [1, 100_000], {
      unit: 'runs',
      meaning: 'Runs after which a reusable agent process is replaced.',
    }),
    exit_grace: number(2, [0, 60], {
      ...seconds,
      meaning: 'Time an agent has to exit by itself after its result.',
    }),
    kill_grace: number(0.5, [0.05, 60], {
      ...seconds,
      meaning: 'Time between SIGTERM and SIGKILL.',
    }),
    nice: integer(5, [0, 19], {
      meaning: 'How far agents step back (nice) when the processor is short; 0 = not at all.',
    }),
    restarts: text('5/60', /^[1-9]\d{0,3}\/[1-9]\d{0,4}$/, {
      form: 'COUNT/SECONDS, both whole numbers above 0',
      meaning: 'Spares that may die in that many seconds before starting new ones pauses.',
    }),
  }),
  bridge: z.strictObject({
    max_parked: integer(6, [0, 64], {
      unit: 'runs',
      meaning: "Runs that may wait for a client's tool results (mode bridge).",
    }),
    parked_timeout: integer(900, [1, DAY], {
      ...seconds,
      meaning: 'Age at which a forgotten parked run is ended (mode bridge).',
    }),
    group_ms: integer(100, [0, 5000], {
      unit: 'milliseconds',
      meaning: 'Tool calls that arrive within this time go out together (mode bridge).',
    }),
  }),
  sessions: z.strictObject({
    max: integer(32, [1, 10_000], {
      unit: 'conversations',
      meaning: 'Conversations remembered at once; the least recently used one goes first.',
    }),
    idle: integer(900, [1, DAY], {
      ...seconds,
      meaning: 'Time without a request after which a conversation is forgotten.',
    }),
  }),
  retries: z.strictObject({
    join: boolean(true, {
      meaning: 'Whether a repeated request joins or replays the run it repeats.',
    }),
    grace: number(0.75, [0, 60], {
      ...seconds,
      meaning: 'Time a run goes on after its client left, in case the client comes back.',
    }),
    window: integer(60, [1, 3600], {
      ...seconds,
      meaning: 'Time an undelivered reply is kept for a retry.',
    }),
  }),
  limits: z.strictObject({
    body_mb: integer(64, [1, 1024], { unit: 'MB', meaning: 'Largest request body; then 413.' }),
    line_mb: integer(64, [1, 1024], {
      unit: 'MB',
      meaning: 'Longest line accepted from the agent; longer ones are dropped and counted.',
    }),
    slow_reader: integer(60, [1, 3600], {
      ...seconds,
      meaning: 'Time after which a client that reads nothing is cut.',
    }),
    buffer_kb: integer(256, [16, 65_536], {
      unit: 'kB',
      meaning: 'Events held per stream before the agent is slowed down.',
    }),
  }),
  workspace: z.strictObject({
    default: text('scratch', WORKSPACE, {
      form: 'scratch, client or an absolute path',
      meaning:
        'Folder of requests that name none: scratch = an empty one, client = the one the client itself names, or a path.',
      path: true,
    }),
    roots: list(ABSOLUTE, {
      form: 'absolute paths',
      meaning: 'Folders that requests may work in; empty = home and the temporary folder.',
      path: true,
    }),
    scratch_root: text('auto', ABSOLUTE_OR_AUTO, {
      form: 'auto or an absolute path',
      meaning:
        "Where scratch folders are made; auto = a private folder in the system's temporary folder.",
      path: true,
    }),
  }),
  models: z.strictObject({
    aliases: map(WORD, {
      form: 'pairs of a model name (with * and ? as wildcards) and a Cursor model id',
      meaning: 'Names that clients use, mapped to Cursor models.',
    }),
    family_aliases: boolean(true, {
      meaning: 'Whether names such as claude-*sonnet* get the newest model of that family.',
    }),
    refresh: integer(900, [10, DAY], {
      ...seconds,
      meaning: 'Age at which the model list is fetched anew in the background.',
    }),
  }),
  tools: z.strictObject({
    show: choice('on', ['on', 'off'], {
      meaning: 'Whether replies show the tools that Cursor ran by itself.',
    }),
  }),
  skills: z.strictObject({
    via: choice('rules', ['rules', 'prompt', 'off'], {
      meaning: "How skills that a client advertises reach Cursor's agent.",
    }),
    dirs: list(ABSOLUTE, {
      form: 'absolute paths',
      meaning: 'Further folders with skills.',
      path: true,
    }),
  }),
  cursor: z.strictObject({
    config_dir: choice('private', ['private', 'shared'], {
      meaning:
        "private: each agent gets its own copy of Cursor's configuration folder, login included; shared: all use yours.",
    }),
    permissions: choice('workspace', ['read-only', 'workspace', 'full'], {
      meaning:
        'What Cursor may do unasked: workspace = edit files in its folder; full = everything not denied (--force).',
    }),
    approve_mcps: boolean(false, {
      meaning: 'Whether all MCP servers of the user are approved (--approve-mcps).',
    }),
    sandbox: choice('default', ['default', 'enabled', 'disabled'], {
      meaning: "Cursor's own sandbox (--sandbox); default = as Cursor's configuration says.",
    }),
    env: map(/^[A-Za-z_][A-Za-z0-9_]*$/, {
      form: 'pairs of a variable name and a text',
      meaning: 'Environment variables for the agents, besides the usual ones.',
      secret: true,
    }),
  }),
  sdk: z.strictObject({
    node: optionalText(ABSOLUTE, {
      form: 'an absolute path',
      meaning: 'Node binary (22.13 or newer) for the backend sdk.',
      path: true,
    }),
    api_key: optionalText(WORD, {
      form: 'a key',
      meaning: 'Cursor API key for the backend sdk.',
      secret: true,
    }),
  }),
  log: z.strictObject({
    level: choice('info', ['debug', 'info', 'warn', 'error'], {
      meaning: 'Least important lines that are written to standard error.',
      flag: '--log-level',
    }),
  }),
})

type Frozen<T> = T extends object ? { readonly [K in keyof T]: Frozen<T[K]> } : T
/** All settings, nested as their keys are: `config.pool.kill_grace`. */
export type Config = Frozen<z.infer<typeof configSchema>>
