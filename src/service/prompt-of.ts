// Turn → prompt text for a plan, with what has to be said about skills. Pure.

import type { Prompt } from '../core/job.ts'
import type { Message, Turn } from '../core/turn.ts'
import { formatMessage } from '../prompt/format.ts'
import type { Ground } from '../prompt/ground.ts'
import { renderPrompt } from '../prompt/render.ts'
import type { Plan } from './plan.ts'
import type { SkillPlan } from './skills.ts'

/** A part of the conversation's messages will do as well: notes belong to messages. `ground`: for mode bridge. */
export function promptOf(
  turn: Turn,
  plan: Plan,
  skills: SkillPlan,
  ground: Ground | undefined,
): Prompt {
  // Bridge offers the client's tools to the model, its Skill tool among them.
  const isBridge = plan.mode === 'bridge'
  const asked = turn.format
    ? { ...turn, messages: [...turn.messages, formatMessage(turn.format)] }
    : turn
  const render = (notes: ReadonlyMap<Message, string>): Prompt =>
    renderPrompt(asked, {
      images: plan.images,
      notes: isBridge ? new Map() : notes,
      clientTools: isBridge ? 'kept' : 'left-out',
      ...(ground === undefined ? {} : { ground }),
    })
  const prompt = render(skills.notes)
  const mayFail = plan.profile.folder.class === 'workspace' && skills.rules.length > 0
  const calls = turn.messages.some((message) => skills.notes.has(message))
  if (isBridge || !mayFail || !calls) return prompt
  return { ...prompt, textWithoutRules: render(skills.notesWithoutRules).text }
}
