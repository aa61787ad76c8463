import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Model } from '../../src/models/catalogue.ts'
import { modelFacts } from '../../src/models/facts.ts'
import {
  type ModelQuestion,
  matchesGlob,
  type ResolvedModel,
  resolveModel,
} from '../../src/models/resolve.ts'

const models = (ids: readonly string[]): readonly Model[] =>
  ids.map((id) => ({ id, label: id, isDefault: id === 'auto', ...modelFacts(id) }))

// Ids as `agent models` listed them in October 2026 (cut to a few variants per family).
const OCTOBER = models([
  'auto',
  'composer-2.5',
  'composer-2.5-fast',
  'gpt-5.2',
  'gpt-5.2-high',
  'gpt-5.3-codex',
  'gpt-5.3-codex-high',
  'gpt-5.3-codex-xhigh-fast',
  'gpt-5.1-codex-max',
  'gpt-5.1-codex-max-high',
  'gpt-5.4-low',
  'gpt-5.4-medium',
  'gpt-5.4-high',
  'gpt-5.4-medium-fast',
  'gpt-5.4-mini-medium',
  'gpt-5.5-low',
  'gpt-5.5-medium',
  'gpt-5.5-high',
  'gpt-5.5-extra-high',
  'gpt-5.6-sol-medium',
  'claude-4.5-sonnet',
  'claude-4.5-sonnet-thinking',
  'claude-4.6-sonnet-medium',
  'claude-4.6-sonnet-medium-thinking',
  'claude-opus-4-8-medium',
  'claude-opus-4-8-thinking-high',
  'claude-opus-5-medium',
  'claude-opus-5-thinking-high',
  'claude-opus-5-thinking-max',
  'claude-opus-5-5-high',
  'claude-opus-5-5-high-fast',
  'claude-sonnet-5-low',
  'claude-sonnet-5-medium',
  'claude-sonnet-5-high',
  'claude-sonnet-5-thinking-medium',
  'claude-sonnet-5-thinking-high',
  'claude-fable-5-high',
  'gemini-3.1-pro',
  'grok-4.7-high',
  'cursor-grok-4.6-high',
  'kimi-k3-high',
  'glm-5.2-high',
])

// Ids seen in 2025.
const OLDER = models([
  'auto',
  'sonnet-4.5',
  'sonnet-4.5-thinking',
  'opus-4.1',
  'gpt-5',
  'gpt-5-codex',
  'grok',
  'composer-1',
])

const ask = (asked: string, more: Partial<ModelQuestion> = {}): ResolvedModel =>
  resolveModel({
    asked,
    effort: undefined,
    thinking: undefined,
    catalogue: OCTOBER,
    aliases: {},
    familyAliases: true,
    defaultModel: 'auto',
    ...more,
  })

interface Case {
  readonly asked: string
  readonly id: string
  readonly how: string
  readonly more?: Partial<ModelQuestion>
}

describe('resolveModel', () => {
  const cases: readonly Case[] = [
    // Nothing named.
    { asked: '', id: 'auto', how: 'default' },
    { asked: ' Auto ', id: 'auto', how: 'default' },
    {
      asked: 'default',
      id: 'composer-2.5',
      how: 'default',
      more: { defaultModel: 'composer-2.5' },
    },
    {
      asked: 'auto',
      id: 'gpt-5.4-high',
      how: 'default',
      more: { defaultModel: 'openai/gpt-5-4-high' },
    },
    {
      asked: '',
      id: 'my-private-model',
      how: 'default',
      more: { defaultModel: 'my-private-model' },
    },
    { asked: '', id: 'auto', how: 'default', more: { defaultModel: '' } },
    // Exact ids go as asked, whatever effort and thinking say.
    { asked: 'gpt-5.2', id: 'gpt-5.2', how: 'exact' },
    { asked: 'gpt-5.2', id: 'gpt-5.2', how: 'exact', more: { effort: 'high', thinking: true } },
    { asked: 'composer-2.5-fast', id: 'composer-2.5-fast', how: 'exact' },
    { asked: 'gpt-5.2', id: 'gpt-5.2', how: 'exact', more: { aliases: { 'gpt-*': 'auto' } } },
    // Aliases.
    {
      asked: 'fast-one',
      id: 'composer-2.5-fast',
      how: 'alias',
      more: { aliases: { 'fast-?ne': 'composer-2.5-fast' } },
    },
    {
      asked: 'Claude-Haiku-4-5',
      id: 'composer-2.5',
      how: 'alias',
      more: { aliases: { '*haiku*': 'composer-2.5' } },
    },
    {
      asked: 'x',
      id: 'grok-4.7-high',
      how: 'alias',
      more: { aliases: { '*': 'auto', x: 'grok-4.7-high' } },
    },
    {
      asked: 'x',
      id: 'not-in-the-list',
      how: 'alias',
      more: { aliases: { x: 'not-in-the-list' } },
    },
    {
      asked: 'opus',
      id: 'claude-opus-5-thinking-high',
      how: 'alias',
      more: { aliases: { opus: 'claude-opus-5' }, thinking: true, effort: 'high' },
    },
    // The same model written differently.
    { asked: 'GPT-5.2', id: 'gpt-5.2', how: 'normalised' },
    { asked: 'openai/gpt-5.2', id: 'gpt-5.2', how: 'normalised' },
    { asked: 'claude-sonnet-4-5-20250929', id: 'claude-4.5-sonnet', how: 'normalised' },
    { asked: 'anthropic/claude-sonnet-4.5', id: 'claude-4.5-sonnet', how: 'normalised' },
    {
      asked: 'us.anthropic.claude-sonnet-4-5-20250929-v1:0',
      id: 'claude-4.5-sonnet',
      how: 'normalised',
    },
    { asked: 'claude-sonnet-4-5@20250929', id: 'claude-4.5-sonnet', how: 'normalised' },
    { asked: 'claude-sonnet-4-5[1m]', id: 'claude-4.5-sonnet', how: 'normalised' },
    { asked: 'sonnet-4.5-thinking', id: 'claude-4.5-sonnet-thinking', how: 'normalised' },
    { asked: 'claude-opus-4.8', id: 'claude-opus-4-8-medium', how: 'normalised' },
    { asked: 'gpt_5.3_codex', id: 'gpt-5.3-codex', how: 'normalised' },
    { asked: 'codex-gpt-5.3', id: 'gpt-5.3-codex', how: 'normalised' },
    { asked: 'composer-2.5[fast=true]', id: 'composer-2.5-fast', how: 'normalised' },
    {
      asked: 'claude-opus-5[thinking=true,effort=max,fast=false]',
      id: 'claude-opus-5-thinking-max',
      how: 'normalised',
    },
    // Effort and thinking pick the variant, the name before the request.
    { asked: 'gpt-5.4', id: 'gpt-5.4-medium', how: 'normalised' },
    { asked: 'gpt-5.4', id: 'gpt-5.4-high', how: 'normalised', more: { effort: 'high' } },
    { asked: 'gpt-5.4', id: 'gpt-5.4-low', how: 'normalised', more: { effort: 'minimal' } },
    { asked: 'gpt-5.4', id: 'gpt-5.4-high', how: 'normalised', more: { effort: 'max' } },
    { asked: 'gpt-5.4-xhigh', id: 'gpt-5.4-high', how: 'normalised', more: { effort: 'low' } },
    { asked: 'gpt-5.5', id: 'gpt-5.5-extra-high', how: 'normalised', more: { effort: 'xhigh' } },
    { asked: 'gpt-5.1-codex-max', id: 'gpt-5.1-codex-max', how: 'exact' },
    {
      asked: 'GPT-5.1-codex-max',
      id: 'gpt-5.1-codex-max',
      how: 'normalised',
    },
    {
      asked: 'claude-4-5-sonnet',
      id: 'claude-4.5-sonnet-thinking',
      how: 'normalised',
      more: { thinking: true },
    },
    {
      asked: 'claude-sonnet-5',
      id: 'claude-sonnet-5-thinking-high',
      how: 'normalised',
      more: { thinking: true, effort: 'high' },
    },
    {
      asked: 'claude-sonnet-5',
      id: 'claude-sonnet-5-high',
      how: 'normalised',
      more: { thinking: false, effort: 'high' },
    },
    {
      asked: 'claude-opus-4-8',
      id: 'claude-opus-4-8-thinking-high',
      how: 'normalised',
      more: { thinking: true, effort: 'low' },
    },
    {
      asked: 'claude-opus-5-5',
      id: 'claude-opus-5-5-high',
      how: 'normalised',
      more: { effort: 'high' },
    },
    // Families.
    { asked: 'claude-sonnet-4-20250514', id: 'claude-sonnet-5-medium', how: 'family' },
    {
      asked: 'claude-sonnet-4-20250514',
      id: 'claude-sonnet-5-thinking-high',
      how: 'family',
      more: { thinking: true, effort: 'high' },
    },
    { asked: 'claude-3-5-sonnet-latest', id: 'claude-sonnet-5-medium', how: 'family' },
    { asked: 'sonnet', id: 'claude-sonnet-5-medium', how: 'family' },
    { asked: 'claude-opus-4-1-20250805', id: 'claude-opus-5-5-high', how: 'family' },
    { asked: 'gpt-4o', id: 'gpt-5.5-medium', how: 'family' },
    { asked: 'gpt-4o-mini', id: 'gpt-5.4-mini-medium', how: 'family' },
    { asked: 'gpt-4.1-2025-04-14', id: 'gpt-5.5-medium', how: 'family' },
    { asked: 'gpt-5-codex', id: 'gpt-5.3-codex', how: 'family' },
    { asked: 'claude-haiku-4-5-20251001', id: 'auto', how: 'default' },
    { asked: 'claude-fable-5-5', id: 'claude-fable-5-high', how: 'family' },
    { asked: 'claude-instant-9', id: expect.stringMatching(/^claude-/), how: 'family' },
    // What Codex 0.171 and Claude Code 2.1.332 ask for while nobody has chosen a model.
    { asked: 'gpt-6.2-sol', id: 'gpt-5.6-sol-medium', how: 'family' },
    { asked: 'gpt-daybreak-blue-latest', id: 'gpt-5.5-medium', how: 'family' },
    { asked: 'codex-auto-review', id: 'gpt-5.3-codex', how: 'family' },
    { asked: 'codex-mini-latest', id: 'gpt-5.3-codex', how: 'family' },
    { asked: 'claude-opus-5-5', id: 'claude-opus-5-5-high', how: 'normalised' },
    {
      asked: 'claude-haiku-4-5-20251001',
      id: 'composer-2.5',
      how: 'default',
      more: { defaultModel: 'composer-2.5' },
    },
    // The list of 2025.
    {
      asked: 'claude-sonnet-4-20250514',
      id: 'sonnet-4.5',
      how: 'family',
      more: { catalogue: OLDER },
    },
    {
      asked: 'claude-sonnet-4-5-20250929',
      id: 'sonnet-4.5',
      how: 'normalised',
      more: { catalogue: OLDER },
    },
    { asked: 'claude-opus-4-5', id: 'opus-4.1', how: 'family', more: { catalogue: OLDER } },
    { asked: 'gpt-5.2', id: 'gpt-5', how: 'family', more: { catalogue: OLDER } },
    { asked: 'gpt-5.3-codex-high', id: 'gpt-5-codex', how: 'family', more: { catalogue: OLDER } },
    // No list.
    { asked: 'gpt-5.2', id: 'gpt-5.2', how: 'passed-through', more: { catalogue: undefined } },
    {
      asked: 'claude-sonnet-5[1m]',
      id: 'claude-sonnet-5',
      how: 'passed-through',
      more: { catalogue: [] },
    },
    { asked: 'auto', id: 'auto', how: 'default', more: { catalogue: undefined } },
    {
      asked: 'x',
      id: 'composer-2.5',
      how: 'alias',
      more: { catalogue: undefined, aliases: { x: 'composer-2.5' } },
    },
  ]
  test.each(cases)('$asked becomes $id ($how)', ({ asked, id, how, more }) => {
    expect(ask(asked, more)).toEqual({ ok: true, id, how })
  })

  test('an unknown name is refused with the three nearest ids', () => {
    expect(ask('composer-2.6')).toEqual({
      ok: false,
      nearest: ['composer-2.5', 'composer-2.5-fast', expect.any(String)],
    })
  })

  test('without family aliases a name of a family is refused too', () => {
    const answer = ask('claude-sonnet-4-20250514', { familyAliases: false })
    expect(answer.ok).toBe(false)
  })

  test.each(['--force', '-f', 'a b', 'a\nb', 'a\u0000', 'x'.repeat(201)])(
    'a name that is no word (%j) is never passed on, list or no list',
    (asked) => {
      expect(ask(asked).ok).toBe(false)
      expect(ask(asked, { catalogue: undefined }).ok).toBe(false)
    },
  )

  test('speed is never chosen by itself, even where only fast variants are listed', () => {
    const catalogue = models(['composer-2-fast', 'gpt-5-fast'])
    expect(ask('composer-2', { catalogue }).ok).toBe(false)
    expect(ask('gpt-4o', { catalogue })).toEqual({ ok: true, id: 'auto', how: 'default' })
  })

  test('any question gets an answer from the list, the settings or the name itself', () => {
    const name = fc.oneof(
      fc.string(),
      fc.constantFrom(...OCTOBER.map((model) => model.id)),
      fc.stringMatching(/^[a-z]{1,8}([-./][a-z0-9]{1,8}){0,4}(\[1m\])?$/),
    )
    fc.assert(
      fc.property(
        name,
        fc.constantFrom('minimal', 'low', 'medium', 'high', 'xhigh', 'max', undefined),
        fc.constantFrom(true, false, undefined),
        fc.boolean(),
        (asked, effort, thinking, familyAliases) => {
          const answer = ask(asked, { effort, thinking, familyAliases })
          if (!answer.ok) return answer.nearest.length === 3
          return OCTOBER.some((model) => model.id === answer.id)
        },
      ),
    )
  })

  test('every id of a list resolves to itself', () => {
    for (const { id } of OCTOBER.filter((model) => model.id !== 'auto')) {
      expect(ask(id, { effort: 'low', thinking: true })).toEqual({ ok: true, id, how: 'exact' })
    }
  })
})

describe('matchesGlob', () => {
  test.each([
    ['claude-x', 'claude-*', true],
    ['claude-', 'claude-*', true],
    ['a-claude-x', 'claude-*', false],
    ['gpt-4o-mini', 'gpt-?o*', true],
    ['abc', 'a*b*c', true],
    ['abcd', 'a*c', false],
    ['a.c', 'a.c', true],
    ['abc', 'a.c', false],
    ['', '*', true],
    ['', '?', false],
  ])('%s against %s: %s', (text, glob, expected) => {
    expect(matchesGlob(text, glob)).toBe(expected)
  })
})
