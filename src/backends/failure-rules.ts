// Texts of Cursor's that tell a failure, the most specific first, and what each one means for the client. Pure.
// Source for the texts: captures and issue threads of 2025 and 2026.
import type { Failure } from '../core/events.ts'
import { nearest } from './nearest.ts'
import { redact } from './redact.ts'

export interface FailureFacts {
  /** Everything Cursor said about it: stderr tail, plain lines on stdout, an error inside the text, the result's error. */
  readonly text: string
  /** How the process ended; undefined while it lives. */
  readonly exit: { readonly code: number | null; readonly signal: string | null } | undefined
  /** The model that was asked for. */
  readonly model: string
  /** The service's home folder, which is not shown; '' when unknown. */
  readonly home: string
}

interface Rule {
  readonly pattern: RegExp
  /** `words`: the matched line as it may be shown. */
  readonly failure: (facts: FailureFacts, words: string) => Omit<Failure, 'type'>
}

/** Cursor's own words as the end of a message; '' without any. */
export const said = (words: string): string => (words === '' ? '' : ` Cursor said: ${words}`)

/** Seconds to wait as Cursor put it, within what is worth telling a client (1–30). */
function waitSeconds(text: string): number | undefined {
  const header = /retry[-_ ]after["']?\s*[:=]?\s*["']?(\d+(?:\.\d+)?)/i.exec(text)
  const prose = /(?:try again|retry|wait|reset)[^\d\n]{0,20}(\d+)\s*(s\b|sec|m\b|min)/i.exec(text)
  const inMinutes = header === null && prose?.[2]?.toLowerCase().startsWith('m') === true
  const amount = Number(header?.[1] ?? prose?.[1] ?? Number.NaN)
  if (!Number.isFinite(amount)) return undefined
  return Math.min(30, Math.max(1, Math.ceil(inMinutes ? amount * 60 : amount)))
}

/** The ids after `Available models:`; they may run over several lines. */
export function availableModels(text: string): string[] {
  const list = /available models:\s*([\s\S]*)$/i.exec(text)?.[1]
  if (list === undefined) return []
  const paragraph = list.split(/\n\s*\n/, 1)[0] ?? ''
  return paragraph
    .split(/[,\n]/)
    .map((id) =>
      id
        .trim()
        .replace(/^[-*•]\s*/, '')
        .replace(/\.$/, ''),
    )
    .filter((id) => /^[\w.:/[\]=-]+$/.test(id))
}

function modelNotFound(facts: FailureFacts, words: string): Omit<Failure, 'type'> {
  const refused = /cannot use this model:\s*([^\s,]+?)\.?(?:\s|$)/i.exec(facts.text)?.[1]
  const name = refused ?? facts.model
  const near = nearest(name, availableModels(facts.text), 3)
  const advice =
    near.length > 0 ? `Nearest available: ${near.join(', ')}.` : `Ask /v1/models for the list.`
  const quote = near.length > 0 ? '' : said(words)
  return {
    code: 'model-not-found',
    message: `Cursor does not offer the model "${redact(name, facts.home)}". ${advice}${quote}`,
  }
}

function contextTooLong(facts: FailureFacts, words: string): Omit<Failure, 'type'> {
  const number =
    /maximum context length (?:is|of)\s*([\d,._]+)/i.exec(facts.text)?.[1] ??
    /(?:exceeds?|limit|maximum|max)[^\d\n]{0,60}([\d,._]{4,})/i.exec(facts.text)?.[1]
  const limit = number?.replaceAll(/\D/g, '')
  const known =
    limit === undefined ? '' : ` This model's maximum context length is ${limit} tokens.`
  return {
    code: 'context-too-long',
    message: `The conversation is too long for the model.${known} Shorten it or start a new one.${said(words)}`,
  }
}

function quota(facts: FailureFacts, words: string): Omit<Failure, 'type'> {
  const date =
    /(?:reset|cycle ends|renew)[^\n]{0,80}?(\d{1,2}\/\d{1,2}\/\d{2,4}|\d{4}-\d\d-\d\d)/i.exec(
      facts.text,
    )?.[1]
  const reset = date === undefined ? 'Wait for its reset' : `It resets on ${date}; wait until then`
  return {
    code: 'cursor-quota',
    message: `The Cursor plan is used up. ${reset}, raise the spend limit, or change the model.${said(words)}`,
  }
}

const LOGIN =
  'cursor-agent is not logged in. Run `agent login` on this machine, or set CURSOR_API_KEY for the service.'

/** The most specific first: the first match wins. */
export const RULES: readonly Rule[] = [
  {
    pattern: /no prompt provided for print mode/i,
    failure: (_facts, words) => ({
      code: 'agent-failed',
      message: `This version of cursor-agent does not read its prompt from standard input.${said(words)}`,
      again: 'argv',
    }),
  },
  {
    pattern: /argument list too long|\bE2BIG\b/i,
    failure: () => ({
      code: 'agent-failed',
      message:
        'The prompt is too long for an argument, and this version of cursor-agent does not read standard input. Update it with `agent update`.',
    }),
  },
  {
    pattern:
      /(?<!proxy )authentication required|not logged in|api key is invalid|invalid api key|unauthenticated|press any key to sign in|please log ?in|agent login|\b401\b/i,
    failure: (_facts, words) => ({ code: 'cursor-not-logged-in', message: LOGIN + said(words) }),
  },
  {
    pattern: /named models unavailable|can only use auto/i,
    failure: (facts, words) => ({
      code: 'model-not-allowed',
      message: `The Cursor plan does not allow the model "${facts.model}". Use the model "auto" or upgrade the plan.${said(words)}`,
    }),
  },
  {
    pattern: /cannot use this model|ai model not found|model name is not valid/i,
    failure: modelNotFound,
  },
  {
    pattern:
      /usage limit|spend limit|spendLimitHit|out of (?:requests|usage)|usage-based|quota exceeded|insufficient_quota/i,
    failure: quota,
  },
  {
    pattern: /resource_exhausted|rate.?limit|\b429\b|too many requests|ERROR_RATE_LIMITED/i,
    failure: (facts, words) => {
      const retryAfterS = waitSeconds(facts.text)
      return {
        code: 'cursor-rate-limited',
        message: `Cursor limits the rate of requests; try again later.${said(words)}`,
        ...(retryAfterS === undefined ? {} : { retryAfterS }),
      }
    },
  },
  {
    pattern: /workspace trust required|do you trust|not trusted/i,
    failure: (_facts, words) => ({
      code: 'agent-failed',
      message: `Cursor does not trust the workspace although --trust was given. Open the folder once with \`agent\` and accept it.${said(words)}`,
    }),
  },
  {
    pattern: /run everything/i,
    failure: (_facts, words) => ({
      code: 'agent-failed',
      message: `The administrator of the Cursor team disabled --force. Set cursor.permissions to "workspace".${said(words)}`,
    }),
  },
  {
    pattern:
      /sandbox mode is enabled but not available|sandbox[^\n]{0,40}not (?:available|supported)/i,
    failure: (_facts, words) => ({
      code: 'agent-failed',
      message: `The sandbox is not available on this system. Set cursor.sandbox to "disabled".${said(words)}`,
    }),
  },
  {
    pattern:
      /rename [^\n]*cli-config\.json|(?:EPERM|EBUSY|ENOENT)[^\n]*cli-config|security command failed|password not found/i,
    failure: (_facts, words) => ({
      code: 'agent-failed',
      message: `cursor-agent lost a race for its configuration or keychain at start. Try again, or set CURSOR_API_KEY.${said(words)}`,
      again: 'same',
    }),
  },
  {
    pattern:
      /token count exceeds|context[ _](?:window|length)|prompt is too long|(?:prompt|input|conversation|request)[^\n]{0,40}too long/i,
    failure: contextTooLong,
  },
  {
    pattern:
      /RetriableError|ConnectError|WritableIterable|ReadableIterable|\[unavailable\]|deadline_exceeded|connection (?:stalled|lost)|http\/2 stream|ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|fetch failed/i,
    failure: (_facts, words) => ({
      code: 'cursor-unreachable',
      message: `The connection to Cursor failed. Check the network, then try again.${said(words)}`,
      again: 'same',
    }),
  },
]
