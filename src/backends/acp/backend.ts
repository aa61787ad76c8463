// Launches the CLI in ACP mode: folders, configuration, environment, process, connection. What follows is agent.ts.
import { access } from 'node:fs/promises'
import type { LaunchProfile } from '../../core/job.ts'
import { type Child, startChild } from '../../process/child.ts'
import { childEnvironment } from '../../process/environment.ts'
import { seedConfig } from '../../workspace/cursor-home.ts'
import { createScratch, removeScratch, type ScratchFolder } from '../../workspace/scratch.ts'
import type { Agent, AgentHooks, Backend, WorkerSettings } from '../backend.ts'
import { asLaunchFailure, hasOwnData, ledgerOf } from '../launch.ts'
import { AcpAgent } from './agent.ts'
import { acpArgs } from './args.ts'
import { loadSdk } from './client.ts'
import { AcpLink } from './link.ts'

export const acpBackend: Backend = {
  async launch(profile, settings, hooks) {
    let scratch: ScratchFolder | undefined
    try {
      scratch = await createScratch(settings.scratchRoot, settings.instance)
      // Loading takes as long as the child's own start: side by side.
      const loading = loadSdk()
      const child = await start(profile, settings, scratch)
      await loading
      return await connect(child, { profile, settings, hooks, scratch })
    } catch (error) {
      if (scratch !== undefined) await removeScratch(scratch)
      throw await asLaunchFailure(error, profile)
    }
  },
}

interface Parts {
  readonly profile: LaunchProfile
  readonly settings: WorkerSettings
  readonly hooks: AgentHooks
  readonly scratch: ScratchFolder
}

async function connect(child: Child, parts: Parts): Promise<Agent> {
  const link = new AcpLink(child, parts.settings.exitGraceMs)
  let agent: AcpAgent | undefined
  await link.open({
    update: (sessionId, update) => agent?.heard(sessionId, update),
    ask: (method, params) => agent?.asked(method, params),
    odd: (kind) => agent?.odd(kind),
    batch: (readAtMs) => agent?.took(readAtMs),
    over: () => agent?.outputOver(),
  })
  agent = new AcpAgent({ child, ...parts }, link)
  void link.read()
  return agent
}

async function start(
  profile: LaunchProfile,
  settings: WorkerSettings,
  scratch: ScratchFolder,
): Promise<Child> {
  const isPrivate = settings.configDir === 'private'
  const source = { ...process.env, ...settings.env }
  await Promise.all([
    // A script is run by Node, which starts well without it: look before.
    access(profile.binary),
    profile.folder.class === 'workspace' ? access(profile.folder.path) : null,
    isPrivate ? seedConfig(scratch.config, source, { sealed: profile.mode === 'bridge' }) : null,
  ])
  const own = {
    ...settings.env,
    ...(isPrivate ? { CURSOR_CONFIG_DIR: scratch.config } : {}),
    ...(hasOwnData(profile, settings) ? { CURSOR_DATA_DIR: scratch.data } : {}),
  }
  return startChild({
    command: profile.binary,
    args: acpArgs(profile),
    // Sessions have folders of their own.
    cwd: scratch.work,
    env: childEnvironment(process.env, own, settings.instance),
    maxLineBytes: settings.maxLineBytes,
    nice: settings.nice,
    ledger: ledgerOf(settings),
    folders: [scratch.root],
  })
}
