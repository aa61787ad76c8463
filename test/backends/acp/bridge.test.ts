// Mode bridge on ACP: the scripted stand-in as an MCP client of our endpoint.
import { afterEach, beforeEach, expect, test } from 'vitest'
import { backendFor } from '../../../src/backends/choose.ts'
import type { LaunchProfile } from '../../../src/core/job.ts'
import { Lab } from '../../contract/agent-lab.ts'
import { openStation, type Station, tool } from '../../mcp/station.ts'
import { within } from '../../support/pace.ts'
import { until } from '../../support/until.ts'

let lab: Lab
let station: Station
beforeEach(async () => {
  lab = new Lab(backendFor({ backend: 'acp' }), 'acp')
  station = await openStation()
})
afterEach(async () => {
  await lab.close()
  await station.close()
})

test('a call goes out and its result is in the answer', async () => {
  const tokens: string[] = []
  const profile: LaunchProfile = lab.profile({
    mode: 'bridge',
    digest: 'tools-1',
    offer: { endpoint: station.url, tools: [tool('Read')] },
  })
  const agent = await lab.launch({
    steps: [
      { call: { name: 'Read', arguments: { text: 'a.txt' } } },
      { delta: 'It says $RESULT' },
      { result: true },
    ],
    profile,
    tools: {
      opened: (token, tools) => {
        tokens.push(token)
        station.endpoint.open(token, tools)
      },
      closed: (token) => station.endpoint.close(token),
    },
  })
  await agent.ready
  const [token = ''] = tokens
  expect(station.endpoint.contact(token)).toBe('listed')
  station.endpoint.listen(token, (call) =>
    call.answer({
      isError: false,
      content: [{ type: 'text', text: `${call.name} of ${JSON.stringify(call.arguments)}` }],
    }),
  )
  const ran = await lab.run(agent, lab.job('hello', [], { profile }))
  expect(ran.text).toBe('It says Read of {"text":"a.txt"}')
  expect(ran.events).toContainEqual(
    expect.objectContaining({ type: 'tool-start', host: 'client', kind: 'mcp', name: 'Read' }),
  )
  await agent.close('done')
  await until('the token to be closed', within(2_000), () => station.endpoint.size === 0)
})
