// Model lists in the two official shapes. Pure.
import type Anthropic from '@anthropic-ai/sdk'
import type OpenAI from 'openai'
import type { ModelInfo } from './services.ts'

/** `context_length` is what Hermes and others read first. Source: its model probe, 2026. */
export type OpenAIModel = OpenAI.Model & {
  readonly display_name: string
  readonly context_length?: number
}

export interface OpenAIList {
  readonly object: 'list'
  readonly data: readonly OpenAIModel[]
}

export interface AnthropicPage {
  readonly data: readonly Anthropic.ModelInfo[]
  readonly has_more: boolean
  readonly first_id: string | null
  readonly last_id: string | null
}

export interface PageQuery {
  readonly limit: string | undefined
  readonly after: string | undefined
  readonly before: string | undefined
}

export function openaiModel(model: ModelInfo): OpenAIModel {
  return {
    id: model.id,
    object: 'model',
    created: model.createdS,
    owned_by: model.owner ?? 'cursor',
    display_name: model.label,
    ...(model.contextWindow === undefined ? {} : { context_length: model.contextWindow }),
  }
}

export function openaiList(models: readonly ModelInfo[]): OpenAIList {
  return { object: 'list', data: models.map(openaiModel) }
}

export function anthropicModel(model: ModelInfo): Anthropic.ModelInfo {
  return {
    type: 'model',
    id: model.id,
    display_name: model.label,
    created_at: new Date(model.createdS * 1000).toISOString(),
    max_input_tokens: model.contextWindow ?? null,
    max_tokens: null,
    capabilities: null,
    line: null,
    lifecycle: 'active',
    deprecated_at: null,
    retires_at: null,
  }
}

/**
 * One page. Without a limit the whole list: a client that never asks for a second page still sees every model.
 * Limits are cut to 1..1000 as the official API does.
 */
export function anthropicPage(models: readonly ModelInfo[], query: PageQuery): AnthropicPage {
  const limit = limitOf(query.limit)
  const after = models.findIndex((model) => model.id === query.after) + 1
  const before = models.findIndex((model) => model.id === query.before)
  const end = before === -1 ? models.length : before
  const start = before === -1 ? after : Math.max(after, end - limit)
  const page = models.slice(start, Math.min(end, start + limit))
  return {
    data: page.map(anthropicModel),
    has_more: before === -1 ? start + page.length < end : start > after,
    first_id: page.at(0)?.id ?? null,
    last_id: page.at(-1)?.id ?? null,
  }
}

function limitOf(text: string | undefined): number {
  const limit = text === undefined ? Number.NaN : Number(text)
  return Number.isInteger(limit) ? Math.min(1000, Math.max(1, limit)) : Number.POSITIVE_INFINITY
}
