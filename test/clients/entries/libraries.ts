// SDKs, each in a small program of its own: one turn, streamed; what was said before is kept in a file of the home.
import { join } from 'node:path'
import type { Client } from '../client.ts'
import { npm, type Package, python } from '../install.ts'
import { exported } from '../set-up.ts'

const PROGRAMS = join(import.meta.dirname, '../programs').replace(/[\\/]dist(?=[\\/]test)/, '')
const LOOP = { tool: 'read_file', input: (file: string) => ({ path: file }) }

interface Library {
  readonly name: string
  readonly package: Package
  readonly program: string
  /** Whose variables `setup` prints for it. */
  readonly setup: 'openai-sdk' | 'anthropic-sdk'
  readonly node24?: boolean
  readonly quick?: 'all'
}

const library = ({ name, package: what, program, setup, ...traits }: Library): Client => ({
  name,
  version: what.version,
  packages: [what],
  ...traits,
  command: ({ prompt, goOn, home, bringsTools }, [folder = '']) => [
    what.from === 'npm' ? 'node' : 'python3',
    join(PROGRAMS, program),
    folder,
    JSON.stringify({ prompt, goOn, bringsTools, history: join(home, 'history.json') }),
  ],
  env: (ask) => exported(setup, ask),
  toolLoop: LOOP,
})

export const LIBRARIES: readonly Client[] = [
  library({
    name: 'OpenAI SDK (Node)',
    package: npm('openai', '7.59.0'),
    program: 'openai.mjs',
    setup: 'openai-sdk',
    node24: true,
    quick: 'all',
  }),
  library({
    name: 'OpenAI SDK (Python)',
    package: python('openai', '3.57.0'),
    program: 'openai_sdk.py',
    setup: 'openai-sdk',
  }),
  library({
    name: 'Anthropic SDK (Node)',
    package: npm('@anthropic-ai/sdk', '1.14.0'),
    program: 'anthropic.mjs',
    setup: 'anthropic-sdk',
    node24: true,
    quick: 'all',
  }),
  library({
    name: 'Anthropic SDK (Python)',
    package: python('anthropic', '2.14.0'),
    program: 'anthropic_sdk.py',
    setup: 'anthropic-sdk',
  }),
  library({
    name: 'Vercel AI SDK',
    package: npm('ai', '7.0.173', '@ai-sdk/openai-compatible@3.0.92'),
    program: 'vercel-ai.mjs',
    setup: 'openai-sdk',
    node24: true,
  }),
  library({
    name: 'LangChain',
    package: npm('@langchain/openai', '1.6.0', '@langchain/core@1'),
    program: 'langchain.mjs',
    setup: 'openai-sdk',
    node24: true,
  }),
]
