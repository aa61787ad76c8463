import { describe, expect, test } from 'vitest'
import type { Json, Message, Part, ToolDefinition, Turn } from '../../src/core/turn.ts'
import { renderPrompt } from '../../src/prompt/render.ts'
import { advertisedSkills, calledSkills, withoutAdverts } from '../../src/prompt/skills.ts'
import { turnOf as plainTurn } from '../support/turn.ts'

// The frame is as Claude Code 2.1.332 and Agent SDK 0.3.332 sent it in November 2026; the skills are ours.
const LISTING = `The following skills are available for use with the Skill tool:

- polish: Polish wording of comments
- claude-api: Reference.
TRIGGER - read first
SKIP only when another one is meant
- plugin:deploy: Deploy it
- simplify: Review the changed code; see /review`

const ENVIRONMENT = `# Environment
 - Primary working directory: /p

The following deferred tools are now available via ToolSearch. Their schemas are NOT loaded:
CronCreate
mcp__x__y

Available agent types for the Agent tool:
- claude: Catch-all (Tools: *)
- Plan: Designs (Tools: Read)

When you launch multiple agents for independent work, send them in a single message.

${LISTING}

Today's date is 2026-11-30.
- simplify-not: this is no skill any more`

const text = (value: string): Part => ({ type: 'text', text: value })
const user = (...values: string[]): Message => ({ role: 'user', parts: values.map(text) })
const system = (value: string): Message => ({ role: 'system', parts: [text(value)] })

const skillTool = (more: Partial<ToolDefinition> = {}): ToolDefinition => ({
  name: 'Skill',
  description: 'Invoke a skill.',
  parameters: { type: 'object', properties: { skill: { type: 'string' } } },
  ...more,
})

const turnOf = (messages: readonly Message[], tools: readonly ToolDefinition[]): Turn =>
  plainTurn(messages, { tools })

describe('advertised skills', () => {
  const ALL = ['polish', 'claude-api', 'plugin:deploy', 'simplify']

  test('come from the list in a system message in the middle', () => {
    const turn = turnOf([user('hi'), system(ENVIRONMENT)], [skillTool()])
    expect(advertisedSkills(turn)).toEqual(ALL)
  })

  test('come from the list in a reminder of the first user message', () => {
    const reminder = `<system-reminder>\n${LISTING}\n</system-reminder>\n`
    const turn = turnOf([user(reminder, '- fake: entry')], [skillTool()])
    expect(advertisedSkills(turn)).toEqual(ALL)
  })

  test('come from the enum of the Skill tool and from a list in its description', () => {
    const parameters: Json = { properties: { skill: { enum: ['init', '/review', 7] } } }
    const description =
      '<available_skills>\n<skill>\n<name>\ntidy\n</name>\n</skill></available_skills>'
    const turn = turnOf([user('hi')], [skillTool({ parameters, description })])
    expect(advertisedSkills(turn)).toEqual(['init', 'review', 'tidy'])
  })

  test('are none without a Skill tool, and none in what the assistant said', () => {
    expect(advertisedSkills(turnOf([system(ENVIRONMENT)], []))).toEqual([])
    const said: Message = { role: 'assistant', parts: [text(LISTING)] }
    expect(advertisedSkills(turnOf([user('hi'), said, user('go on')], [skillTool()]))).toEqual([])
  })

  test.each([null, [], 'x', { properties: [] }, { properties: { skill: null } }] as Json[])(
    'a Skill tool with the schema %j advertises nothing',
    (parameters) => {
      expect(advertisedSkills(turnOf([user('hi')], [skillTool({ parameters })]))).toEqual([])
    },
  )
})

describe('called skills', () => {
  const NAMES = ['simplify', 'review', 'tidy', 'tidy-all']
  test.each([
    ['/simplify messy.ts', ['simplify']],
    ['Please run /simplify on messy.ts in the current directory.', ['simplify']],
    ['use the simplify skill', ['simplify']],
    ['use the skill "tidy" please', ['tidy']],
    ['Invoke it now with parameters {skill: "simplify", args: "messy.ts"}.', ['simplify']],
    ['call Skill(tidy-all)', ['tidy-all']],
    ['run /tidy, then /review.', ['review', 'tidy']],
    ['simplify messy.ts', []],
    ['look at src/review/x.ts and /tidy.ts', []],
    ['my reviewskill', []],
  ])('%j calls %j', (said, expected) => {
    expect(calledSkills(said, NAMES)).toEqual(expected)
  })

  const block =
    '<command-message>tidy</command-message>\n<command-name>/tidy</command-name>\n<command-args>a.ts /review</command-args>'

  test('a slash call that the client has replaced by its own text is not ours to explain', () => {
    expect(calledSkills(`${block}\n# Tidy\nAs /tidy does; then /review.`, NAMES)).toEqual([
      'review',
    ])
  })

  test('a slash call without such a text is', () => {
    expect(calledSkills(block, NAMES)).toEqual(['tidy'])
  })
})

describe('the prompt', () => {
  test('leaves out lists of skills, agents and deferred tools, and nothing else', () => {
    const rest = withoutAdverts(ENVIRONMENT)
    expect(rest).not.toMatch(/Skill tool|Agent tool|ToolSearch|CronCreate|polish|TRIGGER|Catch-all/)
    expect(rest).toBe(
      "# Environment\n - Primary working directory: /p\n\nToday's date is 2026-11-30.\n- simplify-not: this is no skill any more",
    )
  })

  test.each(['', 'The following files changed:\n- a\n', 'Available agents: none'])(
    'keeps other texts as they are: %j',
    (other) => {
      expect(withoutAdverts(other)).toBe(other)
    },
  )

  test('of a mode in which nobody runs client tools does not advertise them', () => {
    const reminder = `<system-reminder>\n${LISTING}\n</system-reminder>\n`
    const quoted = `What does this mean?\n${LISTING}`
    const turn = turnOf([system('be brief'), user(reminder, quoted)], [skillTool()])
    const kept = renderPrompt(turn, { images: 'none' }).text
    const without = renderPrompt(turn, { images: 'none', clientTools: 'left-out' }).text
    expect(kept.split('Skill tool')).toHaveLength(3)
    // What the user wrote is the user's.
    expect(without.split('Skill tool')).toHaveLength(2)
    expect(without).not.toContain('system-reminder')
    expect(without).toContain('be brief')
  })

  test('says a note after its message, in this turn and in later ones', () => {
    const first = user('/tidy a.ts')
    const notes = new Map([[first, 'read @cursor-adapter-tidy']])
    const options = { images: 'none', notes } as const
    expect(renderPrompt(turnOf([first], []), options).text).toBe(
      '/tidy a.ts\n\nread @cursor-adapter-tidy',
    )
    const opening = renderPrompt(turnOf([system('s'), first], []), options).text
    expect(opening).toContain('/tidy a.ts\n\n=== system ===\nread @cursor-adapter-tidy\n')
    const answer: Message = { role: 'assistant', parts: [text('done')] }
    const later = renderPrompt(
      turnOf([system('s'), first, answer, user('thanks')], []),
      options,
    ).text
    expect(later.startsWith(opening)).toBe(true)
  })
})
