// Skills as rules: from a skill to the `.mdc` file that Cursor's agent finds and follows. Pure; writing is rule-files.ts.
import { createHash } from 'node:crypto'
import type { RuleFile } from '../core/job.ts'
import { type FrontmatterValue, parseDocument, splitList } from './frontmatter.ts'

export interface Skill {
  /** As the client advertises it and as users call it: `/name`. */
  readonly name: string
  readonly body: string
  readonly globs: readonly string[]
  readonly allowedTools: readonly string[]
  readonly argumentHint: string
  /** Absolute folder of the skill's own files; undefined for one without. */
  readonly folder: string | undefined
}

/** Stands in every file that we write: only such files are ever removed. */
export const RULE_MARK =
  '<!-- cursor-adapter: temporary, removed when the run that needs it ends -->'
/** All our rules, and nothing else, as a pattern for git's exclude file. */
export const RULE_PATTERN = '**/.cursor/rules/cursor-adapter-*.mdc'

const NAME = /^[A-Za-z0-9](?:[\w-]|\.(?!\.)){0,63}$/

/** Names that may become part of a path. `plugin:skill` and `folder:skill` are not among them. */
export function isSkillName(name: string): boolean {
  return NAME.test(name)
}

/** What the prompt and other rules call it: `@cursor-adapter-simplify`. */
export const ruleReference = (skill: string): string => `@cursor-adapter-${skill}`
export const ruleFileName = (skill: string): string => `cursor-adapter-${skill}.mdc`

/**
 * A skill from the text of its SKILL.md. Of the head, `globs` (or `paths`), `allowed-tools` and `argument-hint` say
 * something to a reader other than Claude Code; `description` and `when_to_use` are left out on purpose (see
 * ruleFile), as are `model`, `context`, `license` and the like.
 */
export function parseSkill(name: string, text: string, folder: string | undefined): Skill {
  const { head, body } = parseDocument(text)
  const list = (key: string): readonly string[] => listOf(head.get(key))
  const hint = head.get('argument-hint')
  return {
    name,
    body,
    globs: [...list('globs'), ...list('paths')],
    allowedTools: list('allowed-tools'),
    argumentHint: typeof hint === 'string' ? oneLine(hint) : listOf(hint).join(' '),
    folder,
  }
}

function listOf(value: FrontmatterValue | undefined): readonly string[] {
  if (value === undefined) return []
  return typeof value === 'string' ? splitList(oneLine(value)) : value.map(oneLine)
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()

/**
 * The rule of a skill. Its description is narrow: a broad one ("use for code quality") sent slower models into
 * 40-turn loops. `references` maps skill names to what they are called in a rule.
 * Source: Cursor's rules documentation, `.mdc` with description, globs, alwaysApply; runs of 2026.04 that followed such
 * files, slash call included.
 */
export function ruleFile(skill: Skill, references: ReadonlyMap<string, string>): RuleFile {
  const globs = skill.globs.length > 0 ? `globs: ${skill.globs.join(',')}\n` : ''
  const head =
    `---\ndescription: Apply only when the user asks for /${skill.name} (the skill named ${skill.name}).\n` +
    `${globs}alwaysApply: false\n---\n`
  return {
    name: ruleFileName(skill.name),
    text: `${head}${RULE_MARK}\n\n${skillText(skill, references)}\n`,
  }
}

/** A skill's instructions for Cursor's agent, with a heading; text without a trailing newline. */
export function skillText(skill: Skill, references: ReadonlyMap<string, string>): string {
  const { folder, allowedTools, argumentHint } = skill
  const others = new Map([...references].filter(([name]) => name !== skill.name))
  const facts = [
    folder === undefined ? '' : `Files that are named here by relative path are in ${folder}.`,
    allowedTools.length === 0
      ? ''
      : `Tools for this skill: ${allowedTools.join(', ')}. Use your own tools of that kind and no others.`,
    argumentHint === '' ? '' : `Arguments: ${argumentHint}`,
  ].filter((line) => line !== '')
  const body = withReferences(withArguments(skill), others)
  return [`# /${skill.name}`, ...(facts.length > 0 ? [facts.join('\n')] : []), body].join('\n\n')
}

/** A rule is not filled in per call, so the placeholders of a skill become words. */
function withArguments({ body, name, folder }: Skill): string {
  const given = `(what the request says after /${name})`
  return body
    .replaceAll(/\$ARGUMENTS\b(?:\[\d+\])?/g, () => given)
    .replaceAll(/\$\{(?:CLAUDE_SKILL_DIR|SKILL_DIR)\}/g, (whole) => folder ?? whole)
}

/** `/name`, `Skill(name)` and `Skill({skill: "name"})` of a known skill become its reference; paths and URLs stay. */
export function withReferences(text: string, references: ReadonlyMap<string, string>): string {
  if (references.size === 0) return text
  const names = [...references.keys()].map(escaped).join('|')
  const called = new RegExp(
    `(?<![\\w./:@~-])/(${names})(?![\\w/-]|\\.\\w)|\\bSkill\\(\\s*(?:\\{\\s*"?skill"?\\s*:\\s*)?["'\`]?(${names})["'\`]?\\s*\\}?\\s*\\)`,
    'g',
  )
  return text.replaceAll(called, (whole, slash: string | undefined, call: string | undefined) => {
    return references.get(slash ?? call ?? '') ?? whole
  })
}

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** CLAUDE.md for versions of the CLI that do not read it: always applied. */
export function claudeMdRule(text: string): RuleFile {
  return {
    name: ruleFileName('claude-md'),
    text: `---\ndescription: Project instructions (CLAUDE.md).\nalwaysApply: true\n---\n${RULE_MARK}\n\n${text.trim()}\n`,
  }
}

/** '' for no rules; equal for equal rules in any order. */
export function rulesDigest(rules: readonly RuleFile[]): string {
  if (rules.length === 0) return ''
  const hash = createHash('sha256')
  const sorted = rules.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  hash.update(JSON.stringify(sorted.map(({ name, text }) => [name, text])))
  return hash.digest('hex').slice(0, 32)
}

/**
 * What this version of the CLI reads by itself. Source: skills since 2026.01 (reports of 2026). Assumed: CLAUDE.md since
 * the same time, because the documentation of 2026 says so and nothing older is known; to find out, ask a run in a
 * folder whose CLAUDE.md holds a word. A version of another form is taken for a newer one.
 */
export function readsByItself(cliVersion: string): {
  readonly skills: boolean
  readonly claudeMd: boolean
} {
  const year = /^(\d{4})\.\d{2}/.exec(cliVersion)?.[1]
  const isNew = year === undefined || Number(year) >= 2026
  return { skills: isNew, claudeMd: isNew }
}
