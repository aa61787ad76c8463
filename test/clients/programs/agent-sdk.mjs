// One query of the Claude Agent SDK; its messages as JSON lines. Arguments: folder of the SDK, what to ask as JSON.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const [folder, request] = process.argv.slice(2)
const { prompt, project, goOn, readsProject } = JSON.parse(request)
const { main } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
const { query } = await import(pathToFileURL(join(folder, main)).href)

const options = {
  cwd: project,
  model: 'auto',
  permissionMode: 'bypassPermissions',
  allowDangerouslySkipPermissions: true,
  settingSources: readsProject ? ['project'] : [],
  continue: goOn,
  env: process.env,
}
for await (const message of query({ prompt, options })) {
  process.stdout.write(`${JSON.stringify(message)}\n`)
}
