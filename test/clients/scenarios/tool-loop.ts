// Mode bridge: the model asks for a tool of the client's own, the client runs it, the model goes on with the result.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { arrayAt } from '../../../src/lib/json.ts'
import type { Service } from '../../support/service.ts'
import { OTHERWISE } from '../errand.ts'
import { NotPlayed, type Scenario } from '../stage.ts'
import { showed } from './answers.ts'

const NOTE = 'The eagle has landed.'

export const toolLoop: Scenario = {
  name: 'own tools (bridge)',
  // What a request with tools gets unasked.
  settings: { mode: 'auto' },
  bringsTools: true,
  without: ({ toolLoop }) => (toolLoop === undefined ? 'it brings no tools' : undefined),
  script: (scratch, { toolLoop }) => {
    const call = {
      name: toolLoop?.tool ?? '',
      arguments: toolLoop?.input(join(scratch, 'home/project/notes.txt')) ?? {},
    }
    const steps = [
      { init: true },
      { call },
      { delta: 'The note says: $RESULT1' },
      { recap: true },
      { result: true },
    ]
    return { runs: [{ match: 'Read the note', steps }, OTHERWISE] }
  },
  async run({ ask, project, service, prompts, tap }) {
    await mustBridge(service)
    writeFileSync(join(project, 'notes.txt'), `${NOTE}\n`)
    showed(await ask('Read the note.'), NOTE)
    assert.equal(prompts('Read the note').length, 1, 'the run did not go on')
    // Beside these some ask for a title, without tools.
    const turns = tap.about('Read the note').filter(({ body }) => arrayAt(body, 'tools')?.length)
    assert.equal(turns.length, 2)
  },
}

/** @throws NotPlayed where a request that brings tools is not answered in mode bridge. */
async function mustBridge(service: Service): Promise<void> {
  const reply = await service.post('/v1/chat/completions', {
    model: 'auto',
    messages: [{ role: 'user', content: 'Anything.' }],
    tools: [{ type: 'function', function: { name: 'noop', parameters: { type: 'object' } } }],
  })
  await reply.text()
  const mode = reply.headers.get('x-cursor-adapter-mode') ?? ''
  if (mode !== 'bridge') throw new NotPlayed(`a request with tools is answered in mode ${mode}`)
}
