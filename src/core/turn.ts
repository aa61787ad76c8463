// Turn: what a client asked, free of wire formats. Made by protocols/*/request.ts, read by service and prompt.

export type Api = 'chat' | 'responses' | 'messages'

/** Any JSON value. Tool arguments, tool schemas and metadata are kept as such, never interpreted as code. */
export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [key: string]: Json }

export type ImageSource =
  | { readonly kind: 'base64'; readonly mediaType: string; readonly data: string }
  /** Never fetched by us: the prompt names it, the agent may look at it. */
  | { readonly kind: 'url'; readonly url: string }

export type ResultPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly source: ImageSource }

export type Part =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly text: string }
  | { readonly type: 'image'; readonly source: ImageSource }
  /** A client-hosted call the assistant made. `arguments` is parsed JSON, or the raw string when it was not JSON. */
  | {
      readonly type: 'tool-call'
      readonly id: string
      readonly name: string
      readonly arguments: Json
    }
  | {
      readonly type: 'tool-result'
      readonly callId: string
      readonly isError: boolean
      readonly content: readonly ResultPart[]
    }
  /** Something Cursor did by itself in an earlier turn, as we showed it (server tool blocks and the like). */
  | { readonly type: 'past-activity'; readonly text: string }
  /** A block we do not understand; named, so that the prompt can say it was left out. */
  | { readonly type: 'unsupported'; readonly kind: string }

export interface Message {
  /** `system` messages keep their place in the list (Claude Code sends them in the middle). Tool results are `user` messages. */
  readonly role: 'system' | 'user' | 'assistant'
  readonly parts: readonly Part[]
}

export interface ToolDefinition {
  readonly name: string
  readonly description: string
  /** JSON schema of the arguments. */
  readonly parameters: Json
}

export type ToolChoice =
  | { readonly kind: 'auto' }
  | { readonly kind: 'none' }
  | { readonly kind: 'required' }
  | { readonly kind: 'named'; readonly name: string }

export type Effort = 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max'

export interface Turn {
  readonly api: Api
  /** As the client wrote it; '' when it named none. */
  readonly model: string
  /** The whole conversation in order; a top-level system text is its first message. */
  readonly messages: readonly Message[]
  /** Only tools a client can host (name and schema known); hosted kinds are dropped by the protocol. */
  readonly tools: readonly ToolDefinition[]
  readonly toolChoice: ToolChoice
  readonly parallelToolCalls: boolean
  readonly effort: Effort | undefined
  /** True and false when the client asked for or against thinking, undefined when it said nothing. */
  readonly thinking: boolean | undefined
  readonly maxOutputTokens: number | undefined
  readonly stop: readonly string[]
  /** The form that the answer's text must have; undefined = any text. */
  readonly format?: AnswerFormat
  readonly reply: ReplyForm
  /** Ids in the body by which clients name a conversation (identity rules in sessions/identity.ts). */
  readonly bodyIds: BodyIds
}

export interface AnswerFormat {
  readonly name: string
  readonly description: string
  /** Undefined: any JSON object will do. */
  readonly schema: Json | undefined
  /** What is wrong with a value, for people and models; undefined when nothing is. Never throws. */
  problem(value: unknown): string | undefined
}

export interface ReplyForm {
  readonly stream: boolean
  /** Chat only: `stream_options.include_usage`. */
  readonly usageChunk: boolean
  /** Responses only. */
  readonly responses?: ResponsesForm
}

/** What a Responses reply says of its request, and how it names calls. */
export interface ResponsesForm {
  /** Fields of the request that the reply repeats. */
  readonly echo: { readonly [field: string]: Json }
  /** The long ones among them (instructions, tools), repeated only where the reply ends. */
  readonly longEcho: { readonly [field: string]: Json }
  /** Tools that are not called as plain functions, by their name in `Turn.tools`. */
  readonly callForms: ReadonlyMap<string, CallForm>
  /** The client sends reasoning items back and wants something opaque in them. */
  readonly encryptedReasoning: boolean
}

export interface CallForm {
  /** `custom`: called with free text; the model was offered one string argument, `input`, for it. */
  readonly kind: 'function' | 'custom'
  readonly name: string
  readonly namespace: string | undefined
}

export interface BodyIds {
  /** `metadata.user_id` (Messages), `user` (chat). */
  readonly userId: string | undefined
  readonly promptCacheKey: string | undefined
  readonly conversation: string | undefined
  readonly previousResponseId: string | undefined
}
