// What is said to the model about the form of its answer, and how a wrong one is given back. Pure.
import type { AnswerFormat, Message } from '../core/turn.ts'

/** The wish, as the last system message of the conversation. */
export function formatMessage(format: AnswerFormat): Message {
  return { role: 'system', parts: [{ type: 'text', text: formatText(format) }] }
}

function formatText(format: AnswerFormat): string {
  const about = [format.name, format.description].filter((text) => text !== '').join(': ')
  const rule = `Your final answer must be one JSON object${about === '' ? '' : ` (${about})`} and nothing else: no words before or after it, no code fence, no comments.`
  if (format.schema === undefined) return rule
  return `${rule} It must be valid against this JSON schema:\n${JSON.stringify(format.schema)}`
}

/** Only rewriting is asked for, never the task again: what was done for the answer must not be done twice. */
export function repairPrompt(format: AnswerFormat, answer: string, problem: string): string {
  return [
    'The text below was meant to be one JSON object, but it is not what was asked for.',
    `What is wrong: ${problem}.`,
    'Write its content again in the right form. Do not use any tool and do nothing else.',
    formatText(format),
    `The text:\n${answer}`,
  ].join('\n\n')
}
