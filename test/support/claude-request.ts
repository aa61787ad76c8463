// Requests as Claude Code 2.1.332 and the Agent SDK 0.3.332 shape them (recorded November 2026), with skills of ours.

export interface ClaudeRequest {
  readonly prompt: string
  /** Name and description of each skill in the client's list. */
  readonly skills: readonly string[]
  /** Where the client says it is. */
  readonly folder?: string
}

/** The body of a Messages request: prompt, then a system message in the middle with environment and lists, tools. */
export function claudeRequest({ prompt, skills, folder = '/nowhere' }: ClaudeRequest): object {
  const listing = skills.map((name) => `- ${name}: What ${name} does, in a line`).join('\n')
  const system = `# Environment
You have been invoked in the following environment:
 - Primary working directory: ${folder}
 - Is a git repository: true

Available agent types for the Agent tool:
- general-purpose: General-purpose agent (Tools: *)

When you launch multiple agents for independent work, send them in a single message.

The following skills are available for use with the Skill tool:

${listing}

Today's date is 2026-11-30.`
  return {
    system: [
      { type: 'text', text: "You are a Claude agent, built on Anthropic's Claude Agent SDK." },
    ],
    messages: [
      { role: 'user', content: [{ type: 'text', text: prompt }] },
      { role: 'system', content: [{ type: 'text', text: system }] },
    ],
    tools: [
      { name: 'Agent', description: 'Launch an agent.', input_schema: { type: 'object' } },
      { name: 'Edit', description: 'Edit a file.', input_schema: { type: 'object' } },
      {
        name: 'Skill',
        description: 'Invoke a skill.',
        input_schema: { type: 'object', properties: { skill: { type: 'string' } } },
      },
    ],
  }
}

/** A slash call as Claude Code sends it: a block with its words, then the skill's text as the client has it. */
export function slashCall(name: string, args: string, text: string): string {
  return `<command-message>${name}</command-message>\n<command-name>/${name}</command-name>\n<command-args>${args}</command-args>\n${text}`
}
