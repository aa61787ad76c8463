import { describe, expect, test } from 'vitest'
import {
  chooseModel,
  chooseOptions,
  type Offered,
  readOffered,
} from '../../../src/backends/acp/models.ts'

const offered = (ids: readonly string[], current = ids[0]): Offered => ({
  models: ids.map((id) => ({ id, name: id })),
  current,
  options: [],
})

const BRACKETS = offered([
  'default[]',
  'composer-2[fast=true]',
  'composer-2.5[fast=false]',
  'composer-2.5[fast=true]',
  'claude-opus-5[thinking=true,context=300k,effort=high,fast=false]',
  'claude-sonnet-5[thinking=false,effort=medium]',
  'claude-sonnet-5[thinking=true,effort=medium]',
  'gpt-5.4[reasoning=high]',
])
const BASES = offered(['default', 'claude-opus-5', 'composer-2.5', 'grok-code-fast', 'gpt-5.4'])

describe('a model of the command line in the words of the session', () => {
  test.each([
    ['composer-2-fast', BRACKETS, 'composer-2[fast=true]'],
    ['composer-2.5', BRACKETS, 'composer-2.5[fast=false]'],
    ['composer-2.5-fast', BRACKETS, 'composer-2.5[fast=true]'],
    [
      'claude-opus-5-thinking-high',
      BRACKETS,
      'claude-opus-5[thinking=true,context=300k,effort=high,fast=false]',
    ],
    ['claude-sonnet-5', BRACKETS, 'claude-sonnet-5[thinking=false,effort=medium]'],
    ['claude-sonnet-5-medium-thinking', BRACKETS, 'claude-sonnet-5[thinking=true,effort=medium]'],
    ['gpt-5.4-high', BRACKETS, 'gpt-5.4[reasoning=high]'],
    ['composer-2.5[fast=true]', BRACKETS, 'composer-2.5[fast=true]'],
  ])('%s is mapped to a bracketed variant', (wanted, offer, id) => {
    expect(chooseModel(wanted, offer)).toEqual({ at: 'set', id, parameters: {} })
  })

  test.each([
    ['claude-opus-5-thinking-high', 'claude-opus-5', { thinking: 'true', effort: 'high' }],
    ['claude-opus-5', 'claude-opus-5', {}],
    ['grok-code-fast', 'grok-code-fast', {}],
    ['composer-2.5-fast', 'composer-2.5', { fast: 'true' }],
    [
      'claude-opus-5[thinking=true,effort=max]',
      'claude-opus-5',
      { thinking: 'true', effort: 'max' },
    ],
  ])('%s is mapped to a base id with options', (wanted, id, parameters) => {
    expect(chooseModel(wanted, BASES)).toEqual({ at: 'set', id, parameters })
  })

  test.each([
    ['gpt-9', BRACKETS],
    ['gpt-9', BASES],
    ['composer-2', offered(['default[]'])],
    ['claude-sonnet-5-max', BRACKETS],
  ])('%s is unknown where it is not offered', (wanted, offer) => {
    expect(chooseModel(wanted, offer)).toMatchObject({ at: 'unknown' })
  })

  test('an unknown one is answered with the nearest', () => {
    const choice = chooseModel('claude-opus-6', BASES)
    expect(choice).toMatchObject({ nearest: expect.arrayContaining(['claude-opus-5']) })
  })

  test.each([[BRACKETS], [BASES], [{ ...BASES, current: undefined }], [offered(['gpt-5.4'])]])(
    'auto changes nothing while Auto runs, or cannot be chosen',
    (offer) => {
      expect(chooseModel('auto', offer)).toEqual({ at: 'as-it-is' })
    },
  )

  test('auto is set where another model is the default of the machine', () => {
    const choice = chooseModel('auto', { ...BRACKETS, current: 'gpt-5.4[reasoning=high]' })
    expect(choice).toEqual({ at: 'set', id: 'default[]', parameters: {} })
  })
})

describe('options of a chosen model', () => {
  const option = (id: string, current: string, values: readonly string[]) => ({
    id,
    current,
    values,
  })
  const OPUS: Offered = {
    ...BASES,
    options: [
      option('mode', 'agent', ['agent', 'plan', 'ask']),
      option('effort', 'medium', ['low', 'medium', 'high']),
      option('thinking', 'true', ['false', 'true']),
      option('fast', 'true', ['false', 'true']),
    ],
  }

  test.each([
    ['asked for is set', { effort: 'high', thinking: 'true', fast: 'true' }, [['effort', 'high']]],
    [
      'not asked for is switched off',
      {},
      [
        ['thinking', 'false'],
        ['fast', 'false'],
      ],
    ],
    [
      'what is off anyway needs no option',
      { effort: 'low', thinking: 'true', fast: 'true', context: 'false' },
      [['effort', 'low']],
    ],
  ])('what is %s', (_what, parameters, settings) => {
    expect(chooseOptions(parameters, OPUS)).toEqual(settings)
  })

  test.each([[{ effort: 'max' }], [{ turbo: 'true' }]])(
    '%o that the model lacks makes it unknown',
    (parameters) => {
      expect(chooseOptions(parameters, OPUS)).toBeUndefined()
    },
  )

  test('effort may be called reasoning', () => {
    const options = [option('reasoning', 'low', ['low', 'high'])]
    expect(chooseOptions({ effort: 'high' }, { ...BASES, options })).toEqual([
      ['reasoning', 'high'],
    ])
  })
})

test('models are read from either place of the answer, options with their groups', () => {
  const select = (id: string, currentValue: string, options: readonly unknown[]) => ({
    id,
    type: 'select',
    currentValue,
    options,
  })
  const answer = {
    configOptions: [
      select('model', 'b', [{ group: 'x', options: [{ value: 'a' }] }, { value: 'b' }]),
    ],
  }
  expect(readOffered(answer)).toMatchObject({
    current: 'b',
    models: [{ id: 'a' }, { id: 'b' }],
  })
  const both = { ...answer, models: { currentModelId: 'm', availableModels: [{ modelId: 'm' }] } }
  expect(readOffered(both)).toMatchObject({ current: 'm', models: [{ id: 'm', name: 'm' }] })
})
