import { expect, test } from 'vitest'
import { childEnvironment } from '../../src/process/environment.ts'

const INSTANCE = 'abcdefabcdef'

test('only listed variables pass, by name or by head', () => {
  const result = childEnvironment(
    {
      PATH: '/bin',
      HOME: '/home/dev',
      LC_ALL: 'C.UTF-8',
      XDG_CONFIG_HOME: '/x',
      https_proxy: 'http://proxy:1',
      CURSOR_ADAPTER_DEMO_BOOT_MS: '5',
      CURSOR_ADAPTER_PORT: '1',
      CURSOR_ADAPTER_API_KEY: 'ours',
      OPENAI_API_KEY: 'secret',
      NODE_OPTIONS: '--inspect',
      LD_PRELOAD: '/evil.so',
    },
    {},
    INSTANCE,
  )
  expect(result).toEqual({
    PATH: '/bin',
    HOME: '/home/dev',
    LC_ALL: 'C.UTF-8',
    XDG_CONFIG_HOME: '/x',
    https_proxy: 'http://proxy:1',
    CURSOR_ADAPTER_DEMO_BOOT_MS: '5',
    NO_OPEN_BROWSER: '1',
    BROWSER: 'true',
    NO_PROXY: '127.0.0.1,::1,localhost',
    no_proxy: '127.0.0.1,::1,localhost',
    CURSOR_ADAPTER_CHILD: INSTANCE,
  })
})

test('Cursor’s key and token pass, but never an empty one', () => {
  const of = (key: string): Record<string, string> =>
    childEnvironment({ CURSOR_API_KEY: key, CURSOR_AUTH_TOKEN: key }, {}, INSTANCE)
  expect(of('crsr_1')).toMatchObject({ CURSOR_API_KEY: 'crsr_1', CURSOR_AUTH_TOKEN: 'crsr_1' })
  for (const empty of ['', '  ']) {
    expect(of(empty)).not.toHaveProperty('CURSOR_API_KEY')
    expect(of(empty)).not.toHaveProperty('CURSOR_AUTH_TOKEN')
  }
})

test('extra variables win over the base, but not over what must hold', () => {
  const extra = {
    TZ: 'UTC',
    MY_TOOL: '1',
    CURSOR_API_KEY: '',
    CURSOR_ADAPTER_API_KEY: 'ours',
    CURSOR_ADAPTER_CHILD: 'somebody',
  }
  const result = childEnvironment({ TZ: 'CET', CURSOR_API_KEY: 'crsr_1' }, extra, INSTANCE)
  expect(result).toMatchObject({ TZ: 'UTC', MY_TOOL: '1', CURSOR_ADAPTER_CHILD: INSTANCE })
  expect(result).not.toHaveProperty('CURSOR_API_KEY')
  expect(result).not.toHaveProperty('CURSOR_ADAPTER_API_KEY')
})

test.each([
  ['example.com', undefined, 'example.com,127.0.0.1,::1,localhost'],
  [undefined, ' a , b,', 'a,b,127.0.0.1,::1,localhost'],
  ['localhost,x', 'x,y', 'localhost,x,y,127.0.0.1,::1'],
])('NO_PROXY %j and no_proxy %j become %j', (upper, lower, expected) => {
  const base = {
    ...(upper === undefined ? {} : { NO_PROXY: upper }),
    ...(lower === undefined ? {} : { no_proxy: lower }),
  }
  const result = childEnvironment(base, {}, INSTANCE)
  expect([result.NO_PROXY, result.no_proxy]).toEqual([expected, expected])
})
