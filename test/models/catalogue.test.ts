import { expect, test } from 'vitest'
import { createCatalogue } from '../../src/models/catalogue.ts'

const LIST = 'Available models\n\nauto - Auto (default)\ngpt-5.2 - GPT-5.2\n'

interface Fetch {
  readonly resolve: (output: string) => void
  readonly reject: (error: Error) => void
}

/** A list command whose answers are given by hand, and a clock that stands still until it is moved. */
function harness() {
  const fetches: Fetch[] = []
  const clock = { ms: 1_000 }
  const catalogue = createCatalogue({
    list: () =>
      new Promise((resolve, reject) => {
        fetches.push({ resolve, reject })
      }),
    refreshMs: 900_000,
    now: () => clock.ms,
  })
  return { catalogue, fetches, clock }
}

test('twenty requests for a list that is not known yet run the command once', async () => {
  const { catalogue, fetches } = harness()
  const lists = Array.from({ length: 20 }, () => catalogue.get())
  expect(fetches).toHaveLength(1)
  fetches[0]?.resolve(LIST)
  for (const list of await Promise.all(lists)) {
    expect(list.map((model) => model.id)).toEqual(['auto', 'gpt-5.2'])
  }
  await catalogue.get()
  expect(fetches).toHaveLength(1)
})

test('an old list is served at once while one refresh runs in the background', async () => {
  const { catalogue, fetches, clock } = harness()
  const first = catalogue.get()
  fetches[0]?.resolve(LIST)
  await first
  clock.ms += 900_000
  expect(await catalogue.get()).toHaveLength(2)
  expect(await catalogue.get()).toHaveLength(2)
  expect(fetches).toHaveLength(2)
  const refreshed = catalogue.refresh()
  fetches[1]?.resolve('composer-3 - Composer 3')
  await refreshed
  expect(catalogue.peek()?.map((model) => model.id)).toEqual(['composer-3'])
  expect(fetches).toHaveLength(2)
})

test('a failed or empty first fetch is not remembered: the next one tries again', async () => {
  const { catalogue, fetches } = harness()
  const failed = catalogue.get()
  fetches[0]?.reject(new Error('not logged in'))
  await expect(failed).rejects.toThrow('not logged in')
  const empty = catalogue.get()
  fetches[1]?.resolve('No models available')
  await expect(empty).rejects.toThrow('empty')
  expect(catalogue.peek()).toBeUndefined()
  const good = catalogue.get()
  fetches[2]?.resolve(LIST)
  expect(await good).toHaveLength(2)
})

test('a refresh that fails or finds nothing keeps the list and waits its time before the next', async () => {
  const { catalogue, fetches, clock } = harness()
  const first = catalogue.refresh()
  fetches[0]?.resolve(LIST)
  await first
  clock.ms += 900_000
  await catalogue.get()
  const failing = catalogue.refresh()
  fetches[1]?.resolve('')
  await expect(failing).rejects.toThrow('empty')
  expect(catalogue.peek()).toHaveLength(2)
  await catalogue.get()
  expect(fetches).toHaveLength(2)
  clock.ms += 900_000
  await catalogue.get()
  expect(fetches).toHaveLength(3)
})

test('a list command that throws at once is a rejection like any other', async () => {
  const catalogue = createCatalogue({
    list: () => {
      throw new Error('spawn failed')
    },
    refreshMs: 1,
    now: () => 0,
  })
  await expect(catalogue.get()).rejects.toThrow('spawn failed')
})
