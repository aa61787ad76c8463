// The work that the demo agent plays: it reads, edits, runs a command and sends out three sub-agents at once.
import type { Step } from '../support/steps.ts'

/** What the edited file holds after the errand was done exactly once (the client or the scenario wrote nothing). */
export const EDITED_ONCE = 'edited by the agent\n'
export const EDITED_FILE = 'notes.txt'

interface Call {
  readonly kind: string
  readonly id: string
  readonly args: object
}

const started = (call: Call): Step => ({ toolStart: call })
const ended = (call: Call, success: object): Step => ({ toolEnd: { ...call, result: { success } } })

const READ: Call = { kind: 'readToolCall', id: 'read_1', args: { path: EDITED_FILE } }
const EDIT: Call = {
  kind: 'editToolCall',
  // Real ids hold line ends.
  id: 'call-1\nfc_1',
  args: { path: EDITED_FILE, streamContent: 'edited by the agent' },
}
const SHELL: Call = { kind: 'shellToolCall', id: 'shell_1', args: { command: 'wc -l notes.txt' } }
const task = (id: string, description: string): Call => ({
  kind: 'taskToolCall',
  id,
  args: { description, prompt: `${description}, please.`, subagentType: { unspecified: {} } },
})
const TASKS = [
  task('task_1', 'Naming review'),
  task('task_2', 'Error review'),
  task('task_3', 'Test review'),
] as const

/** A real edit: done twice, the file would show it. */
export const EDIT_STEPS: readonly Step[] = [
  started(EDIT),
  { appendFile: EDITED_FILE, text: EDITED_ONCE },
  ended(EDIT, {
    path: EDITED_FILE,
    linesAdded: 1,
    linesRemoved: 0,
    diffString: `--- a/${EDITED_FILE}\n+++ b/${EDITED_FILE}\n@@ -0,0 +1 @@\n+edited by the agent`,
    message: `The file ${EDITED_FILE} has been updated.`,
  }),
]

const found = (text: string): object => ({
  conversationSteps: [
    { toolCall: { shellToolCall: { args: { command: 'ls' }, result: { success: {} } } } },
    { assistantMessage: { text } },
  ],
  isBackground: false,
})

const [first, second, third] = TASKS
export const ERRAND_STEPS: readonly Step[] = [
  { init: true },
  { thinking: 'I look first.' },
  { thinkingEnd: true },
  { delta: 'I look first.' },
  { recap: 'm1' },
  started(READ),
  ended(READ, { content: '', isEmpty: true, totalLines: 0 }),
  ...EDIT_STEPS,
  started(SHELL),
  ended(SHELL, { exitCode: 0, interleavedOutput: '1 notes.txt\n' }),
  started(first),
  started(second),
  started(third),
  ended(second, found('No errors handled.')),
  ended(third, found('No tests.')),
  ended(first, found('Names are fine.')),
  { delta: 'All of it is done.' },
  { recap: true },
  { result: true },
]

/** For requests that are not the scenario's own: titles, warm-ups. */
export const OTHERWISE = { steps: [{ init: true }, { delta: 'OK' }, { result: true }] }
