// Launches the CLI in print mode: folders, configuration, environment, process. What the child then does is agent.ts.
import { accessSync } from 'node:fs'
import type { LaunchProfile } from '../../core/job.ts'
import { type Child, startChild } from '../../process/child.ts'
import { childEnvironment } from '../../process/environment.ts'
import { seedConfig } from '../../workspace/cursor-home.ts'
import { createScratch, removeScratch, type ScratchFolder } from '../../workspace/scratch.ts'
import { sealRoom } from '../../workspace/sealed-room.ts'
import { type Backend, LaunchFailure, type WorkerSettings } from '../backend.ts'
import { asLaunchFailure, hasOwnData, ledgerOf } from '../launch.ts'
import { namesOf, type Offer, openOffer } from '../offer.ts'
import { CHAT_GONE, PrintAgent } from './agent.ts'
import { printArgs } from './args.ts'
import { type Command, promptInArgv } from './argv-prompt.ts'
import { chatIsOnDisk } from './chats.ts'
import { type PlacedRules, placeRules } from './place-rules.ts'

export const printBackend: Backend = {
  async launch(profile, settings, hooks) {
    let scratch: ScratchFolder | undefined
    let rules: PlacedRules | undefined
    let offer: Offer | undefined
    try {
      if (profile.resume !== undefined) await findChat(profile, profile.resume, settings)
      scratch =
        profile.resume?.folders ?? (await createScratch(settings.scratchRoot, settings.instance))
      rules = await placeRules(profile, settings, scratch.work)
      offer = openOffer(profile, hooks)
      if (profile.mode === 'bridge') await seal(profile, settings, scratch, offer)
      const child = await start(profile, settings, scratch)
      rules.bind(child.pid)
      return new PrintAgent({ child, profile, settings, hooks, scratch, rules, offer })
    } catch (error) {
      offer?.close()
      await rules?.release()
      // The folders of a conversation go with it, not with one attempt.
      if (scratch !== undefined && profile.resume === undefined) await removeScratch(scratch)
      throw await asLaunchFailure(error, profile)
    }
  },
}

/** @throws LaunchFailure with `again: 'fresh'` where the chat is not seen. */
async function findChat(
  profile: LaunchProfile,
  { chatId, folders }: NonNullable<LaunchProfile['resume']>,
  settings: WorkerSettings,
): Promise<void> {
  const env = { ...process.env, ...settings.env }
  const isThere = folders && (await chatIsOnDisk(chatId, folders, profile.folder, env))
  if (isThere !== true) throw new LaunchFailure(CHAT_GONE)
}

/** Before the child looks into its folder. */
function seal(
  profile: LaunchProfile,
  settings: WorkerSettings,
  { work, data }: ScratchFolder,
  offer: Offer | undefined,
): Promise<void> {
  return sealRoom({
    work,
    data: hasOwnData(profile, settings) ? data : undefined,
    tools: namesOf(offer),
    url: offer?.url,
    isServerInFile: true,
  })
}

async function start(
  profile: LaunchProfile,
  settings: WorkerSettings,
  scratch: ScratchFolder,
): Promise<Child> {
  const { folder } = profile
  const isPrivate = settings.configDir === 'private'
  const source = { ...process.env, ...settings.env }
  // A script is run by Node, which starts well without it: look before. Not at the same time as the rest: what is still
  // being written when this fails would come back after the folder was removed.
  accessSync(profile.binary)
  if (isPrivate) await seedConfig(scratch.config, source, { sealed: profile.mode === 'bridge' })
  const own = {
    ...settings.env,
    ...(isPrivate ? { CURSOR_CONFIG_DIR: scratch.config } : {}),
    ...(hasOwnData(profile, settings) ? { CURSOR_DATA_DIR: scratch.data } : {}),
  }
  const cwd = folder.class === 'scratch' ? scratch.work : folder.path
  return startChild({
    ...commandOf(profile, printArgs(profile, cwd)),
    cwd,
    env: childEnvironment(process.env, own, settings.instance),
    maxLineBytes: settings.maxLineBytes,
    nice: settings.nice,
    ledger: ledgerOf(settings),
    folders: [scratch.root],
  })
}

function commandOf(profile: LaunchProfile, args: readonly string[]): Command {
  if (profile.promptVia === 'stdin') return { command: profile.binary, args }
  if (process.platform !== 'win32') return promptInArgv(profile.binary, args, process.execPath)
  throw new LaunchFailure({
    type: 'failure',
    code: 'agent-failed',
    message:
      'This version of cursor-agent does not read its prompt from standard input. Update it.',
  })
}
