// Piscina task of the bare pool: one run of the agent program, its whole output.
import { once } from 'node:events'
import { startAgent } from './agent.ts'

export default async function run(prompt: string): Promise<string> {
  const agent = startAgent({})
  let said = ''
  agent.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  agent.stdin.end(prompt)
  await once(agent, 'close')
  return said
}
