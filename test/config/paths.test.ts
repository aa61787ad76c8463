import { expect, test } from 'vitest'
import { adapterHome, expandHome } from '../../src/config/paths.ts'
import { restartLimit } from '../../src/config/settings.ts'

test.each([
  ['~', '/home/ada'],
  ['~/x/y', '/home/ada/x/y'],
  ['~ada/x', '~ada/x'],
  ['/a/~/b', '/a/~/b'],
  ['cursor-agent', 'cursor-agent'],
])('%s is %s for a user with home /home/ada', (path, expected) => {
  expect(expandHome(path, '/home/ada')).toBe(expected)
})

test('our own folder is in the home folder unless CURSOR_ADAPTER_HOME moves it', () => {
  expect(adapterHome({}, '/home/ada')).toBe('/home/ada/.cursor-adapter')
  expect(adapterHome({ CURSOR_ADAPTER_HOME: '' }, '/home/ada')).toBe('/home/ada/.cursor-adapter')
  expect(adapterHome({ CURSOR_ADAPTER_HOME: '~/x' }, '/home/ada')).toBe('/home/ada/x')
})

test('a restart limit is a count and seconds', () => {
  expect(restartLimit('5/60')).toEqual({ count: 5, perS: 60 })
})
