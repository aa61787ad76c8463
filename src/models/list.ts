// The output of `agent models` → ids and labels. Pure.
import { stripVTControlCharacters } from 'node:util'

export interface ListedModel {
  readonly id: string
  readonly label: string
  readonly isDefault: boolean
  readonly isCurrent: boolean
}

// Source: `agent models` of 2026.08 to 2026.10: `<id> - <label>`, then `(current)`, `(default)` or both; headings, blank
// lines and a tip line around them; zero-width characters and double spaces were seen.
const LINE = /^(\S+)\s+-\s+(.+?)((?:\s+\((?:current|default)(?:,\s*(?:current|default))*\))*)\s*$/u
/** No model's line is longer; prose and accidents are. */
const MAX_LINE_CHARS = 500
const INVISIBLE = /[\u200b-\u200f\u2060\ufeff\u00ad]/gu

/** Every model once, in the order of the list; an id that is listed twice keeps its first label and all its marks. */
export function parseModelList(output: string): readonly ListedModel[] {
  const models = new Map<string, ListedModel>()
  for (const line of stripVTControlCharacters(output).split(/\r\n|\r|\n/)) {
    if (line.length > MAX_LINE_CHARS) continue
    const match = LINE.exec(line.replaceAll(INVISIBLE, '').trim())
    if (match === null) continue
    const [, id = '', label = '', marks = ''] = match
    if (!isId(id)) continue
    const known = models.get(id)
    models.set(id, {
      id,
      label: known?.label ?? label.replaceAll(/\s+/g, ' '),
      isDefault: marks.includes('default') || known?.isDefault === true,
      isCurrent: marks.includes('current') || known?.isCurrent === true,
    })
  }
  return [...models.values()]
}

/** Not a bullet, a flag or a word with a colon (`Tip: …`): those lines are prose. */
function isId(id: string): boolean {
  return /^[\p{L}\p{N}]\S*$/u.test(id) && !id.endsWith(':')
}
