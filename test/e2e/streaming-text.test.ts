// Field cases F10, F11, F16, F21: whatever Cursor repeats, splits or keeps for its last line, the answer comes once.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ask, HALF_PAIR, NORMAL_END, unique, WAYS } from '../support/ask.ts'
import { OVER_ACP, type Service, startService } from '../support/service.ts'
import { bareText, delta, OK, readTool, run, type Step, textLine } from '../support/steps.ts'

interface Row {
  readonly name: string
  readonly text: string
  readonly steps: readonly Step[]
  readonly thinking?: string
}

const RARE = '中文 😀 é 👩‍👩‍👧 \u2028\u0085 \u0000 "\\n" 🏳️‍🌈 \ufeff\r\n'
const tool = readTool('c1')
// In print mode the recap comes after it.
const recap = OVER_ACP ? '' : `${JSON.stringify(bareText(RARE).line)}\n`
const rareLines = `${textLine(RARE)}\n${recap}`

const ROWS: readonly Row[] = [
  {
    name: 'F10: a recap with a model call id',
    text: 'Hello',
    steps: [delta('Hel'), delta('lo'), { recap: 'm1' }, OK],
  },
  {
    name: 'F10: a recap with neither timestamp nor id',
    text: 'Hello',
    steps: [delta('Hel'), delta('lo'), { recap: true }, OK],
  },
  {
    name: 'F10: both recaps of one text',
    text: 'Hello',
    steps: [delta('Hello'), { recap: 'm1' }, bareText('Hello'), OK],
  },
  {
    name: 'F10: recaps before and after a tool',
    text: 'One.Two.',
    steps: [delta('One.'), { recap: 'm1' }, ...tool, delta('Two'), delta('.'), { recap: true }, OK],
  },
  {
    name: 'F10: two segments with the same text',
    text: 'again again ',
    steps: [delta('again '), { recap: 'm1' }, ...tool, delta('again '), { recap: true }, OK],
  },
  { name: 'F10: no recap', text: 'Hello', steps: [delta('Hel'), delta('lo'), OK] },
  {
    name: 'F10: whole texts only',
    text: 'One.Two.',
    steps: [{ full: 'One.', id: 'm1' }, ...tool, { full: 'Two.' }, OK],
  },
  {
    name: 'F11: equal fragments',
    text: 'haha!',
    steps: [delta('ha'), delta('ha'), delta('!'), { recap: 'm1' }, OK],
  },
  { name: 'F11: one token', text: 'OK', steps: [delta('OK'), { recap: 'm1' }, OK] },
  {
    name: 'F11: many equal fragments',
    text: 'ab'.repeat(50),
    steps: [{ repeat: 50, steps: [delta('ab')] }, { recap: true }, OK],
  },
  {
    name: 'F11: blanks and line ends',
    text: ' \n \n\n',
    steps: [delta(' '), delta('\n'), delta(' \n'), delta('\n'), { recap: true }, OK],
  },
  {
    name: 'F16: one byte at a time',
    text: RARE,
    steps: [{ raw: rareLines, chunk: 1 }, OK],
  },
  {
    name: 'F16: seven bytes at a time, line ends of Windows',
    text: RARE,
    steps: [{ raw: rareLines.replaceAll('\n', '\r\n'), chunk: 7 }, OK],
  },
  {
    name: 'F16: a surrogate pair split between fragments',
    text: 'x😀e\u0301',
    steps: [delta('x\ud83d'), delta('\ude00'), delta('e\u0301'), bareText('x😀e\u0301'), OK],
  },
  {
    name: 'F21: thinking, and the answer only in the result line',
    text: '42',
    steps: [{ thinking: 'hmm' }, { result: '42' }],
    thinking: 'hmm',
  },
  {
    name: 'F21: the end of the answer only in the result line',
    text: 'forty-two 😀',
    steps: [{ thinking: 'hmm' }, delta('forty'), { result: 'forty-two 😀' }],
  },
]

/** ACP has no result line: what is only there is never said. */
const rows = ROWS.map((row, index) => ({ ...row, index })).filter(
  ({ name }) => !(OVER_ACP && name.startsWith('F21: the end')),
)

describe('the answer comes once', { timeout: 60_000 }, () => {
  let service: Service
  beforeAll(async () => {
    const runs = ROWS.map(({ steps }, index) => run(`row ${index}`, ...steps))
    service = await startService({ script: { runs } })
  })
  afterAll(() => service.stop())

  test.concurrent.each(rows)('$name', async (row) => {
    const all = await Promise.all(WAYS.map((way) => ask(service, way, unique(`row ${row.index}`))))
    for (const [index, heard] of all.entries()) {
      const way = WAYS[index]
      expect(heard.error, JSON.stringify(way)).toBeUndefined()
      expect(heard.text, JSON.stringify(way)).toBe(row.text)
      expect(heard.finish).toBe(way && NORMAL_END[way.api])
      expect(heard.raw).not.toContain('\ufffd')
      expect(heard.raw).not.toMatch(HALF_PAIR)
      if (row.thinking !== undefined) expect(heard.thinking).toBe(row.thinking)
    }
  })
})
