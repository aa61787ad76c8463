// What a request says about skills: which ones the client advertises, which ones a text calls. Pure.
import type { Json, ToolDefinition, Turn } from '../core/turn.ts'

// Source: Claude Code 2.1.332 and Agent SDK 0.3.332, recorded 2026-11: in a `system` message in the middle, or, for older
// model names, in a reminder of the first user message; one line per skill, some descriptions with line breaks.
const LISTING = /The following skills are (?:\w+ )?available for use with the Skill tool[^\n]*:\n/g
const LISTED = /^- ([A-Za-z0-9][\w.:/-]{0,127}): /gm
// Source: Claude Code 2.0: the list is in the tool's description.
const IN_DESCRIPTION = /<name>\s*([A-Za-z0-9][\w.:/-]{0,127})\s*<\/name>/g

/**
 * Names of the skills that the client offers, in order, each once. A client offers skills only together with a tool
 * named Skill: from its enum, from the list in its description, and from the list in the client's own texts.
 */
export function advertisedSkills(turn: Turn): readonly string[] {
  const tool = turn.tools.find(({ name }) => name === 'Skill')
  if (tool === undefined) return []
  const listed = turn.messages
    .filter(({ role }) => role !== 'assistant')
    .flatMap(({ parts }) =>
      parts.flatMap((part) => (part.type === 'text' ? listedIn(part.text) : [])),
    )
  return [...new Set([...inEnum(tool), ...inDescription(tool), ...listed])]
}

function inEnum({ parameters }: ToolDefinition): readonly string[] {
  const properties = at(parameters, 'properties')
  const values = ['skill', 'name', 'command'].flatMap(
    (key) => at(at(properties, key), 'enum') ?? [],
  )
  return values.filter((value) => typeof value === 'string').map((name) => name.replace(/^\//, ''))
}

function at(value: Json | undefined, key: string): Json | undefined {
  if (typeof value !== 'object' || value === null || isList(value)) return undefined
  return value[key]
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value)
}

function inDescription({ description }: ToolDefinition): readonly string[] {
  return [...description.matchAll(IN_DESCRIPTION)].flatMap((match) => match[1] ?? [])
}

function listedIn(text: string): readonly string[] {
  return listings(text).flatMap(({ from, to }) =>
    [...text.slice(from, to).matchAll(LISTED)].flatMap((match) => match[1] ?? []),
  )
}

interface Span {
  readonly from: number
  readonly to: number
}

/** From the heading of each list to the blank line behind its last entry (the first blank line stands before it). */
function listings(text: string): readonly Span[] {
  return [...text.matchAll(LISTING)].map(({ index, 0: heading }) => {
    const start = index + heading.length
    const list = /^\s*- /.exec(text.slice(start, start + 200))
    const blank = /\n[ \t]*\n(?!- )|<\/system-reminder>/g
    blank.lastIndex = start + (list?.[0].length ?? 0)
    const end = list === null ? start : (blank.exec(text)?.index ?? text.length)
    return { from: index, to: end }
  })
}

// Source: as LISTING; the texts that offer tools which only the client could run.
const OTHER_ADVERTS = [
  /The following deferred tools are now available via ToolSearch\.[^\n]*\n(?:[A-Za-z][\w.:-]*(?:\n|$))*\n*/g,
  /Available agent types for the Agent tool:\n(?:- [^\n]*(?:\n|$))+(?:\nWhen you launch multiple agents[^\n]*(?:\n|$))?\n*/g,
]

/** A client's system text or reminder without its lists of skills, agents and deferred tools; other text stays as it is. */
export function withoutAdverts(text: string): string {
  if (!text.includes('The following ') && !text.includes('Available agent types')) return text
  const cut = listings(text).reduceRight(
    (rest, { from, to }) => rest.slice(0, from) + rest.slice(to).replace(/^\n+/, ''),
    text,
  )
  return OTHER_ADVERTS.reduce((rest, advert) => rest.replaceAll(advert, ''), cut)
}

// Source: Claude Code 2.1.332: a slash call arrives as this block, followed by the skill's text as the client wrote it.
const COMMAND = /<command-name>\/?([^<\s]+)<\/command-name>/g
const COMMAND_BLOCK = /<command-(message|name|args)>[\s\S]*?<\/command-\1>/g

/**
 * Which of `names` a user's text calls: `/name`, a Skill call in words or as arguments, "the name skill". A slash call
 * that the client has already replaced by the skill's own text is not among them.
 */
export function calledSkills(text: string, names: readonly string[]): readonly string[] {
  const rest = text.replaceAll(COMMAND_BLOCK, '')
  const commands = new Set([...text.matchAll(COMMAND)].map((match) => match[1]))
  const isExpanded = rest.trim() !== ''
  return names.filter((name) => {
    if (commands.has(name)) return !isExpanded
    return callOf(name).test(rest)
  })
}

function callOf(name: string): RegExp {
  const word = name.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
  return new RegExp(
    `(?<![\\w./:@~-])/${word}(?![\\w/-]|\\.\\w)` +
      `|\\bskill["']?\\s*[:=]\\s*["'\`]${word}["'\`]` +
      `|\\bSkill\\(\\s*["'\`]?${word}["'\`]?\\s*[,)]` +
      `|\\bskill ["'\`]?${word}(?![\\w-])|(?<![\\w-])${word}["'\`]? skill\\b`,
  )
}
