// Clients that speak Chat Completions and bring tools of their own.
// Source: their documentation and command line help; what they send is recorded in test/fixtures/requests.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Client } from './client.ts'

export const qwenCode: Client = {
  name: 'Qwen Code',
  package: '@qwen-code/qwen-code',
  version: '0.24.4',
  command: (folder, { prompt, home, url }) => {
    mkdirSync(join(home, '.qwen'), { recursive: true })
    const settings = {
      security: { auth: { selectedType: 'openai' } },
      privacy: { usageStatisticsEnabled: false },
    }
    writeFileSync(join(home, '.qwen/settings.json'), JSON.stringify(settings))
    const way = `--auth-type openai --model auto --openai-base-url ${url}/v1 --openai-api-key test-key`
    const program = join(folder, 'node_modules/.bin/qwen')
    return [program, ...way.split(' '), '--yolo', '-o', 'stream-json', prompt]
  },
}

export const openCode: Client = {
  name: 'OpenCode',
  package: 'opencode-ai',
  version: '1.18.33',
  command: (folder, { prompt, project, url }) => {
    const model = { name: 'auto', tool_call: true, limit: { context: 100_000, output: 8_000 } }
    const options = { baseURL: `${url}/v1`, apiKey: 'test-key' }
    const local = {
      npm: '@ai-sdk/openai-compatible',
      name: 'local',
      options,
      models: { auto: model },
    }
    const settings = {
      provider: { local },
      model: 'local/auto',
      small_model: 'local/auto',
      enabled_providers: ['local'],
      permission: { '*': 'allow' },
      autoupdate: false,
      share: 'disabled',
    }
    writeFileSync(join(project, 'opencode.json'), JSON.stringify(settings))
    const program = join(folder, 'node_modules/.bin/opencode')
    return [program, 'run', '--model', 'local/auto', '--format', 'json', prompt]
  },
}
