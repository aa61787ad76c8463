// What the SDK programs share: their arguments, the conversation in a file, packages from the suite's cache.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const [folder, request] = process.argv.slice(2)
const { prompt, goOn, history, ...wishes } = JSON.parse(request)
const require = createRequire(join(folder, 'package.json'))

/** As `import name` would give it inside the folder; packages for import only are found by their exports. */
export async function load(name) {
  return await import(pathToFileURL(resolved(name)).href)
}

function resolved(name) {
  try {
    return require.resolve(name)
  } catch (error) {
    if (error.code !== 'ERR_PACKAGE_PATH_NOT_EXPORTED') throw error
    const root = join(folder, 'node_modules', name)
    const entry = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).exports['.']
    return join(root, entry.import?.default ?? entry.import ?? entry.default)
  }
}

/** The conversation so far with the new prompt at its end, as {role, content}. */
export const messages = [
  ...(goOn && existsSync(history) ? JSON.parse(readFileSync(history, 'utf8')) : []),
  { role: 'user', content: prompt },
]

/** Whether the tool below is to be offered. */
export const { bringsTools } = wishes
export const TOOL = {
  name: 'read_file',
  description: 'Read a text file and return its content.',
  schema: {
    type: 'object',
    properties: { path: { type: 'string', description: 'Absolute path' } },
    required: ['path'],
    additionalProperties: false,
  },
  run: ({ path }) => readFileSync(path, 'utf8'),
}

/** Prints the answer and keeps it for the next turn; an error is printed with its text and ends with 1. */
export async function turn(answer) {
  try {
    const content = await answer((text) => process.stdout.write(text))
    process.stdout.write('\n')
    writeFileSync(history, JSON.stringify([...messages, { role: 'assistant', content }]))
  } catch (error) {
    console.error(`${error.constructor.name}: ${error.message}`)
    process.exitCode = 1
  }
}
