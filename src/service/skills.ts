// Skills that a client advertises, made known to Cursor's agent: as rule files, in the prompt, or not at all.
import { assertNever } from '../core/events.ts'
import type { RuleFile } from '../core/job.ts'
import type { Message, Turn } from '../core/turn.ts'
import { advertisedSkills, calledSkills } from '../prompt/skills.ts'
import { realText } from '../sessions/user-text.ts'
import {
  claudeMdRule,
  readsByItself,
  ruleFile,
  ruleFileName,
  ruleReference,
  rulesDigest,
  type Skill,
  skillText,
} from '../workspace/rules.ts'
import { type FoundSkill, findSkills, readClaudeMd } from '../workspace/skills.ts'

export interface SkillSettings {
  readonly via: 'rules' | 'prompt' | 'off'
  readonly dirs: readonly string[]
  readonly home: string
  /** The folder that the client itself works in, where it may be read; undefined where it names none. */
  readonly clientFolder: (turn: Turn) => Promise<string | undefined>
}

export interface SkillFacts {
  readonly cliVersion: string
  /** The folder Cursor works in; undefined for a scratch folder. */
  readonly workspace: string | undefined
}

export interface SkillPlan {
  readonly rules: readonly RuleFile[]
  readonly digest: string
  /** What is said after a message that calls a skill. */
  readonly notes: ReadonlyMap<Message, string>
  /** The same for a run whose rule files could not be written. */
  readonly notesWithoutRules: ReadonlyMap<Message, string>
}

export const NO_SKILLS: SkillPlan = {
  rules: [],
  digest: '',
  notes: new Map(),
  notesWithoutRules: new Map(),
}

export type SkillPlanner = (turn: Turn, facts: SkillFacts) => Promise<SkillPlan>

/** Looks at the disk only for requests that advertise skills. */
export function createSkillPlanner(settings: SkillSettings): SkillPlanner {
  return async (turn, facts) => {
    if (settings.via === 'off') return NO_SKILLS
    const names = advertisedSkills(turn)
    if (names.length === 0) return NO_SKILLS
    const reads = readsByItself(facts.cliVersion)
    const { workspace } = facts
    // In a scratch folder Cursor cannot see the skills of the project that the client is in.
    const clientFolder = workspace === undefined ? await settings.clientFolder(turn) : undefined
    const { home, dirs } = settings
    const cliReads = reads.skills
    const [found, claudeMd] = await Promise.all([
      findSkills(names, { workspace, clientFolder, home, dirs, cliReads }),
      workspace === undefined || reads.claudeMd ? undefined : readClaudeMd(workspace),
    ])
    const told = notesOf(turn, found, 'prompt')
    if (settings.via === 'prompt') return { ...NO_SKILLS, notes: told, notesWithoutRules: told }
    const references = referencesOf(found)
    const rules = [
      ...found.flatMap((it) => (it.how === 'ours' ? [ruleFile(it.skill, references)] : [])),
      ...(claudeMd === undefined ? [] : [claudeMdRule(claudeMd)]),
    ]
    return {
      rules,
      digest: rulesDigest(rules),
      notes: notesOf(turn, found, 'rules'),
      notesWithoutRules: told,
    }
  }
}

/** What the skills are called in rules; a skill that the CLI finds by itself keeps its own name. */
function referencesOf(found: readonly FoundSkill[]): ReadonlyMap<string, string> {
  return new Map(
    found.flatMap((it): readonly (readonly [string, string])[] => {
      if (it.how === 'ours') return [[it.skill.name, ruleReference(it.skill.name)]]
      return it.how === 'project-rule' ? [[it.name, `@${it.name}`]] : []
    }),
  )
}

/** One note per user message that calls skills; in the prompt, each body stands once, at its first call. */
function notesOf(
  turn: Turn,
  found: readonly FoundSkill[],
  via: 'rules' | 'prompt',
): ReadonlyMap<Message, string> {
  const byName = new Map(found.map((it) => [nameOf(it), it]))
  const given = new Set<string>()
  const notes = new Map<Message, string>()
  for (const message of turn.messages) {
    if (message.role !== 'user') continue
    const called = calledSkills(realText(message), [...byName.keys()])
    const lines = called.flatMap((name) => {
      const skill = byName.get(name)
      if (skill === undefined) return []
      const isFirst = !given.has(name)
      given.add(name)
      return [lineFor(skill, via, isFirst)]
    })
    if (lines.length > 0) notes.set(message, [...lines, NO_TOOL].join('\n'))
  }
  return notes
}

const NO_TOOL =
  'There is no tool named Skill here, and none is needed: following the instructions is how a skill is invoked.'

function lineFor(found: FoundSkill, via: 'rules' | 'prompt', isFirst: boolean): string {
  const name = nameOf(found)
  switch (found.how) {
    case 'by-cli':
      return `The skill /${name} is ${found.file}: read that file first, then follow it.`
    case 'project-rule':
      return `The skill /${name} is this project's own @${name}: read it first, then follow it.`
    case 'ours':
      return via === 'rules'
        ? `The skill /${name} is the rule ${ruleReference(name)}: read .cursor/rules/${ruleFileName(name)} first, then follow it.`
        : inPrompt(found.skill, isFirst)
    default:
      return assertNever(found)
  }
}

function inPrompt(skill: Skill, isFirst: boolean): string {
  if (!isFirst) return `Follow the instructions of the skill /${skill.name} given above.`
  return `Follow these instructions of the skill /${skill.name}:\n\n${skillText(skill, new Map())}\n`
}

const nameOf = (found: FoundSkill): string => (found.how === 'ours' ? found.skill.name : found.name)
