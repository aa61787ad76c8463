import { expect, test } from 'vitest'
import type { Json } from '../../../src/core/turn.ts'
import { findScratchPath, isBelow } from '../../../src/service/bridge/scratch-path.ts'

const ROOTS = ['/tmp/cursor-adapter-1', '/private/tmp/cursor-adapter-1']

test.each<[string, Json, string]>([
  ['a path', { file_path: '/tmp/cursor-adapter-1/abc/a.ts' }, 'file_path'],
  ['the root itself', { path: '/tmp/cursor-adapter-1' }, 'path'],
  ['its other name', { path: '/private/tmp/cursor-adapter-1/abc' }, 'path'],
  ['in a shell string', { command: 'cd /tmp/cursor-adapter-1/abc && ls' }, 'command'],
  ['in quotes', { command: 'cat "/tmp/cursor-adapter-1/abc/a b"' }, 'command'],
  ['in a list', { paths: ['/home/u', '/tmp/cursor-adapter-1/x'] }, 'paths[1]'],
  [
    'deep down',
    { edits: [{ a: 1 }, { target: { path: '/tmp/cursor-adapter-1/x' } }] },
    'edits[1].target.path',
  ],
  [
    'after a folder with a longer name',
    { c: '/tmp/cursor-adapter-12 /tmp/cursor-adapter-1/x' },
    'c',
  ],
  ['a bare string', '/tmp/cursor-adapter-1/x', ''],
])('found: %s', (_name, value, argument) => {
  expect(findScratchPath(value, ROOTS)).toEqual({ argument })
})

test.each<[string, Json]>([
  ['another folder', { file_path: '/home/u/project/a.ts' }],
  ['a folder with a longer name', { path: '/tmp/cursor-adapter-12/x' }],
  ['a name as a key', { '/tmp/cursor-adapter-1/x': 1 }],
  ['nothing', null],
  ['numbers', [1, 2]],
])('not found: %s', (_name, value) => {
  expect(findScratchPath(value, ROOTS)).toBeUndefined()
})

test('a project may itself lie below the scratch root', () => {
  expect(isBelow('/tmp/cursor-adapter-1/p', ROOTS)).toBe(true)
  expect(isBelow('/tmp/cursor-adapter-12/p', ROOTS)).toBe(false)
})
