import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type BlockKind, type BlockStep, Blocks } from '../../src/protocols/blocks.ts'

const kind = fc.constantFrom<BlockKind>('text', 'thinking', 'whole')
const act = fc.oneof(
  kind.map((kind) => (blocks: Blocks) => blocks.enter(kind)),
  kind.map((kind) => (blocks: Blocks) => blocks.begin(kind)),
  kind.map((kind) => (blocks: Blocks) => blocks.close(kind)),
  fc.constant((blocks: Blocks) => blocks.close()),
)

test('in any order of calls one block is open at a time, closed once, with the next index', () => {
  fc.assert(
    fc.property(fc.array(act), (acts) => {
      const blocks = new Blocks()
      const steps = [...acts.flatMap((act) => act(blocks)), ...blocks.close()]
      let open: BlockStep | undefined
      let next = 0
      for (const step of steps) {
        if (step.step === 'open') {
          expect(open).toBeUndefined()
          expect(step.index).toBe(next++)
          open = step
        } else {
          expect({ ...step, step: 'open' }).toEqual(open)
          open = undefined
        }
      }
      expect(open).toBeUndefined()
    }),
  )
})

test('a delta of the open kind needs no step, one of another kind closes and opens', () => {
  const blocks = new Blocks()
  expect(blocks.enter('thinking')).toEqual([{ step: 'open', kind: 'thinking', index: 0 }])
  expect(blocks.enter('thinking')).toEqual([])
  expect(blocks.enter('text')).toEqual([
    { step: 'close', kind: 'thinking', index: 0 },
    { step: 'open', kind: 'text', index: 1 },
  ])
  expect(blocks.index).toBe(1)
})

test('the end of a kind that is not open closes nothing', () => {
  const blocks = new Blocks()
  expect(blocks.close('thinking')).toEqual([])
  blocks.enter('text')
  expect(blocks.close('thinking')).toEqual([])
  expect(blocks.close('text')).toEqual([{ step: 'close', kind: 'text', index: 0 }])
  expect(blocks.close()).toEqual([])
})

test('whole blocks that follow each other are blocks of their own', () => {
  const blocks = new Blocks()
  blocks.begin('whole')
  expect(blocks.begin('whole')).toEqual([
    { step: 'close', kind: 'whole', index: 0 },
    { step: 'open', kind: 'whole', index: 1 },
  ])
})
