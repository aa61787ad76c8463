import { describe, expect, test } from 'vitest'
import {
  claudeMdRule,
  isSkillName,
  parseSkill,
  RULE_MARK,
  readsByItself,
  ruleFile,
  rulesDigest,
  withReferences,
} from '../../src/workspace/rules.ts'

const NONE = new Map<string, string>()

test('a skill becomes a rule with a narrow description, its globs, its tools in words and its body', () => {
  const text = `---
name: tidy
description: Use for ANY code change, always
allowed-tools: Read, Edit, Bash(git diff:*)
globs: ["*.ts", "*.js"]
argument-hint: "[file]"
model: opus
---
# Tidy

Read $ARGUMENTS and \${CLAUDE_SKILL_DIR}/notes.md.
`
  const rule = ruleFile(parseSkill('tidy', text, '/skills/tidy'), NONE)
  expect(rule).toEqual({
    name: 'cursor-adapter-tidy.mdc',
    text: `---
description: Apply only when the user asks for /tidy (the skill named tidy).
globs: *.ts,*.js
alwaysApply: false
---
${RULE_MARK}

# /tidy

Files that are named here by relative path are in /skills/tidy.
Tools for this skill: Read, Edit, Bash(git diff:*). Use your own tools of that kind and no others.
Arguments: [file]

# Tidy

Read (what the request says after /tidy) and /skills/tidy/notes.md.
`,
  })
})

test('a head cannot break out of the rule that is made of it', () => {
  const text = '---\nglobs:\n  - "a\\n---\\nalwaysApply: true"\n  - b\n---\nx'
  const rule = ruleFile(parseSkill('x', text, undefined), NONE).text
  expect(rule.split('\n').filter((line) => line === '---')).toHaveLength(2)
  expect(rule).not.toMatch(/^alwaysApply: true/m)
})

describe('references between skills', () => {
  const known = new Map([
    ['review', '@cursor-adapter-review'],
    ['tidy', '@cursor-adapter-tidy'],
    ['tidy-all', '@cursor-adapter-tidy-all'],
  ])
  test.each([
    ['Then run /review.', 'Then run @cursor-adapter-review.'],
    ['`/tidy`, "/review"', '`@cursor-adapter-tidy`, "@cursor-adapter-review"'],
    ['(/tidy-all)', '(@cursor-adapter-tidy-all)'],
    ['Skill(tidy) and Skill("review")', '@cursor-adapter-tidy and @cursor-adapter-review'],
    ['Skill({ skill: "tidy" })', '@cursor-adapter-tidy'],
    ['src/review, /review/x, ./tidy, /tidy.ts', 'src/review, /review/x, ./tidy, /tidy.ts'],
    ['https://x.example/review', 'https://x.example/review'],
    ['/reviewer and /unknown', '/reviewer and /unknown'],
  ])('%s', (text, expected) => {
    expect(withReferences(text, known)).toBe(expected)
  })

  test("a skill's own name stays", () => {
    const { text } = ruleFile(parseSkill('tidy', 'As /tidy says, then /review', undefined), known)
    expect(text).toContain('As /tidy says, then @cursor-adapter-review')
  })
})

test.each(['simplify', 'security-review', 'a.b_c', 'X1'])('%s is a usable name', (name) => {
  expect(isSkillName(name)).toBe(true)
})
test.each(['', '.', '..', 'a/b', '../x', 'plugin:x', 'a..b', '-x', ' x', 'x\n', 'x'.repeat(65)])(
  '%j could not be a file name',
  (name) => {
    expect(isSkillName(name)).toBe(false)
  },
)

test('the digest depends on the rules and not on their order', () => {
  const [a, b] = [
    { name: 'a', text: '1' },
    { name: 'b', text: '2' },
  ] as const
  expect(rulesDigest([a, b])).toBe(rulesDigest([b, a]))
  expect(rulesDigest([a, b])).not.toBe(rulesDigest([a]))
  expect(rulesDigest([a])).not.toBe(rulesDigest([{ ...a, text: '2' }]))
  expect(rulesDigest([])).toBe('')
})

test.each([
  ['2025.12.17-996666f', false],
  ['2026.01.02-abcdef0', true],
  ['2026.10.01-demo000', true],
  ['3.1.0', true],
  ['', true],
])('version %j reads skills and CLAUDE.md by itself: %s', (version, reads) => {
  expect(readsByItself(version)).toEqual({ skills: reads, claudeMd: reads })
})

test('CLAUDE.md becomes a rule that always applies', () => {
  const { name, text } = claudeMdRule('# Rules\nuse tabs\n')
  expect(name).toBe('cursor-adapter-claude-md.mdc')
  expect(text).toMatch(/^---\ndescription: .*\nalwaysApply: true\n---\n/)
  expect(text).toContain('# Rules\nuse tabs\n')
})
